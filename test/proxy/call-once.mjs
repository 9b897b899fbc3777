// One chat call with the built package, as a user's process makes it: prints the answer or the error as JSON, and the environment variables
// that were read. Arguments: base URL, timeout, prompt.
const given = process.env;
const read = new Set();
process.env = new Proxy(given, {
  get(target, name) {
    read.add(String(name));
    return Reflect.get(target, name);
  },
});
const { newClient } = await import('modelsvc');

const [, , baseURL, timeout = '5000', prompt = 'hi'] = process.argv;
const client = newClient({ apiKey: 'fake-id.fake-secret', baseURL, maxRetries: 0, timeout: Number(timeout) });
try {
  const reply = await client.chat().createSimple(undefined, 'glm-5.2', prompt);
  console.log(JSON.stringify({ content: reply.choices[0].message.content, read: [...read] }));
} catch (error) {
  const causes = [];
  for (let cause = error.cause; cause !== undefined && causes.length < 5; cause = cause.cause) causes.push(`${cause.name}: ${cause.message}`);
  console.log(JSON.stringify({ kind: error.kind, phase: error.phase, code: error.code, message: error.message, causes, read: [...read] }));
}
