/** A cold start, in a process that has done no other work: `cold.mjs client port [modules]`. Prints CPU in ms, or the count of files loaded. */
const [, , client, port, modules] = process.argv;

if (modules) {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  const files = new Set();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => {
    if (url.startsWith('file:') || url.startsWith('/')) files.add(url.replace(/^file:\/\//, ''));
  });
  session.post('Debugger.enable');
  files.clear();
  await import(`./clients/${client}.mjs`);
  // Not counted: the client file of this benchmark and what it shares with others.
  console.log(JSON.stringify([...files].filter((file) => !file.includes('/bench/clients/') && !file.includes('/bench/wire/')).length));
} else {
  const spent = (before) => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const before = process.cpuUsage();
  const { open } = await import(`./clients/${client}.mjs`);
  const imported = spent(before);
  // Not the corpus module: reading it is not a part of a client's start.
  const sample = { key: 'bench-key', model: 'glm-4.6', prompt: 'Hello', instructions: 'You answer briefly.', maxTokens: 1024 };
  const { chat, messages } = open({ root: `http://127.0.0.1:${port}/call`, sample });
  const text = await (chat ?? messages).call();
  const answered = spent(before);
  if (!text.includes(' harbour')) throw new Error(`${client}: the answer is not whole`);
  console.log(JSON.stringify({ imported, answered }));
  process.exit();
}
