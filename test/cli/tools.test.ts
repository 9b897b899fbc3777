import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { newClient } from 'modelsvc';
import { faults } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ends, newHome, run } from './support/in-process.ts';
import { program, start } from './support/run.ts';

/** The lines of requests, without their times. */
const requestLines = (stderr: string): string[] => stderr.split('\n').flatMap((line) => /^\d\d:\d\d:\d\d (.*)/.exec(line)?.[1] ?? []);

describe('mock', () => {
  it('serves both surfaces on a port, logs requests, and ends at Ctrl-C', async () => {
    const mock = start(['mock', '--port', '0', '--reply', 'Hello from the mock', '--reply', 'Hello again']);
    const url = (await mock.line()).trim();
    const client = newClient({ apiKey: 'any', endpoints: url, maxRetries: 0 });
    onTestFinished(() => client.close());
    expect((await client.chat().createSimple(undefined, 'glm-4.6', 'Hi')).choices[0]?.message.content).toBe('Hello from the mock');
    const message = await client.anthropic().create(undefined, { model: 'glm-4.7', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] });
    expect(message.text()).toBe('Hello again');
    mock.child.kill('SIGINT');
    expect(await mock.ended).toMatchObject(
      ends(0, /^\d\d:\d\d:\d\d POST \/chat\/completions 200 chat.create\n\d\d:\d\d:\d\d POST \/v1\/messages 200 anthropic.create$/m),
    );
  });

  const networks = Object.values(networkInterfaces()).flatMap((all = []) => all);
  const others = networks.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address);
  it.each<[options: string[], host: string, reachable?: readonly string[]]>([
    [[], '127.0.0.1'],
    [['--host', '127.0.0.1'], '127.0.0.1'],
    [['--host', 'localhost'], 'localhost'],
    ...(networks.some(({ address }) => address === '::1') ? [[['--host', '::1'], '[::1]'] as [string[], string]] : []),
    [['--host', '0.0.0.0'], '0.0.0.0', others.length > 0 ? others : ['0.0.0.0']],
    ...others.slice(0, 1).map((address): [string[], string, string[]] => [['--host', address], address, [address]]),
  ])('%j serves on %s, with a warning if that is more than this machine, with --quiet too', async (options, host, reachable) => {
    for (const form of [[], ['--json', '-q']]) {
      const mock = start(['mock', '--port', '0', ...options, ...form]);
      const line = await mock.line();
      const url = form.length > 0 ? (JSON.parse(line) as { url: string }).url : line.trim();
      expect(url).toMatch(new RegExp(`^http://${host.replace(/[[\]]/g, '\\$&')}:\\d+$`));
      // A test connects to loopback only.
      const near = url.replace('//0.0.0.0', '//127.0.0.1');
      if (host !== others[0]) expect((await fetch(`${near}/models`, { headers: { authorization: 'Bearer any' } })).status).toBe(200);
      mock.child.kill('SIGINT');
      const { stderr } = await mock.ended;
      const { port } = new URL(url);
      if (reachable)
        expect(stderr).toContain(
          `modelsvc: everyone who can reach ${reachable.map((one) => `http://${one}:${port}`).join(', ')} can read what the mock is sent`,
        );
      else expect(stderr).not.toContain('everyone');
      expect(stderr.includes('--base-url')).toBe(form.length === 0 && !reachable);
    }
  });

  it.each(['203.0.113.7', 'http://127.0.0.1', '', 'a b'])('--host %j is not an address of this machine, and is refused', async (host) => {
    expect(await run(['mock', '--port', '0', '--host', host])).toMatchObject(ends(2, `--host: ${host} is not an address of this machine`));
  });

  it('repeats the question, and follows --schema, on each surface', async () => {
    const mock = start(['mock', '--port', '0']);
    const url = (await mock.line()).trim();
    const env = { SVC_API_KEY: 'any-key-0123456789' };
    const long = '二🌧'.repeat(150);
    const schema = JSON.stringify({ type: 'object', properties: { prime: { type: 'boolean' } }, required: ['prime'] });
    for (const command of ['chat', 'messages', 'responses']) {
      const ask = async (...args: string[]): Promise<string> =>
        (await run([command, '--base-url', url, '--no-log', '--model', 'glm-5.3', ...args], { env })).stdout.trim();
      for (const more of [[], ['--no-stream']]) {
        expect(await ask('Is 91 a prime number?', ...more)).toBe('mock: you asked "Is 91 a prime number?"');
        expect(await ask(long, ...more)).toBe(`mock: you asked "${'二🌧'.repeat(100)}…"`);
        expect(typeof JSON.parse(await ask('Is 91 a prime number?', '--schema', schema, ...more)).prime).toBe('boolean');
      }
    }
    mock.child.kill('SIGINT');
    await mock.ended;
  });

  it('names each request that it refuses, with the reason, and warns of doubtful parts', async () => {
    const mock = start(['mock', '--port', '0', '--key', 'the-right-key']);
    const url = (await mock.line()).trim();
    const post = (path: string, body: object, key = 'the-right-key'): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const messages = [{ role: 'user', content: 'SECRET-PROMPT' }];
    const schema = { type: 'object', properties: { a: { oneOf: [] } } };
    const tools = [{ type: 'function', function: { name: 'f', parameters: schema } }];
    expect((await post('/chat/completions', { model: 'glm-4.6', messages, tools })).status).toBe(500);
    expect((await post('/v1/messages', { model: 'glm-4.7', max_tokens: 9, messages, tools: [{ name: 'f', input_schema: schema }] })).status).toBe(
      200,
    );
    expect((await post('/v1/messages', { model: 'glm-4.7', messages }, 'the-wrong-key')).status).toBe(401);
    expect((await post('/v1/chat/completions', {})).status).toBe(404);
    const doubtful = { model: 'glm-4.6', maxTokens: 9, messages: [{ role: 'critic', content: 'a' }, ...messages] };
    expect((await post('/chat/completions', doubtful)).status).toBe(200);
    expect((await post('/chat/completions', { model: 'glm-5.22', messages })).status).toBe(200);
    mock.child.kill('SIGINT');
    const { stderr } = await mock.ended;
    expect(requestLines(stderr)).toEqual([
      'POST /chat/completions 500 chat.create: refused: tools[0].function.parameters has oneOf, which the service cannot read',
      'POST /v1/messages 200 anthropic.create',
      'POST /v1/messages 401 anthropic.create: refused: the key is not one of this fake: use fake.configFor(), fakeKey, or the option keys',
      'POST /v1/chat/completions 404: refused: The requested path does not exist. The fake serves POST /chat/completions.',
      'POST /chat/completions 200 chat.create; warning: maxTokens is unknown; did you mean max_tokens?; warning: messages[0].role is not one of system, user, assistant, tool',
      'POST /chat/completions 200 chat.create; warning: the catalogue has no chat model glm-5.22; did you mean glm-5.2?',
    ]);
    expect(stderr).not.toMatch(/SECRET|the-right-key|the-wrong-key/);
  });

  it('--log appends a line of JSON for each request, with its fault or its refusal and no key', async () => {
    const folder = await newHome();
    const file = join(folder, 'log.jsonl');
    await writeFile(file, '{"kept":true}\n');
    const faulty = '--fault models.list=htmlErrorPage --fault-once anthropic.create=resetBeforeHeaders';
    const args = `--at-once 1 --key the-right-key ${faulty}`.split(' ');
    const mock = start(['mock', '--port', '0', '--log', file, ...args]);
    const url = (await mock.line()).trim();
    const ask = (path: string, key: string, body?: object): Promise<string | undefined> =>
      fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
        .then((response) => response.text())
        .catch(() => undefined);
    await ask('/models?q=SECRET-QUERY', 'the-right-key');
    await ask('/models', 'the-wrong-key');
    // Segments of known and unknown paths may be keys.
    await ask('/files/the-right-key/content', 'the-right-key');
    await ask('/dreams/SECRET%20PATH/the-wrong-key', 'the-wrong-key');
    await ask('/v1/messages', 'the-right-key', { model: 'glm-4.7', max_tokens: 9, messages: [{ role: 'user', content: 'SECRET-PROMPT' }] });
    // The lines are there while the mock runs.
    let text = '';
    while (text.split('\n').length < 7) text = await readFile(file, 'utf8');
    mock.child.kill('SIGKILL');
    const { stderr } = await mock.ended;
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries).toMatchObject([
      { kept: true },
      {
        method: 'GET',
        path: '/models',
        operation: 'models.list',
        status: 502,
        outcome: 'answered',
        reason: 'fault models.list=htmlErrorPage',
        warnings: [],
      },
      { path: '/models', status: 401, reason: 'refused: the key is not one of this fake: use fake.configFor(), fakeKey, or the option keys' },
      { path: '/files/<id>/content', operation: 'files.content' },
      { path: '/<id>/<id>/<id>', status: 404 },
      { path: '/v1/messages', outcome: 'cut', reason: 'fault anthropic.create=resetBeforeHeaders' },
    ]);
    expect(requestLines(stderr)[0]).toBe('GET /models 502 models.list: fault models.list=htmlErrorPage');
    expect(text + stderr).not.toMatch(/SECRET|the-right-key|the-wrong-key/);
    expect(await run(['mock', '--log', folder])).toMatchObject(ends(2, '--log: '));
  });

  it('breaks answers: always for an operation, and once for any', async () => {
    const mock = start(['mock', '--port', '0', '--json', '--fault', "chat.create=error(503, '1305')", '--fault-once', 'htmlErrorPage']);
    const { url } = JSON.parse(await mock.line()) as { url: string };
    const client = newClient({ apiKey: 'any', endpoints: url, maxRetries: 0 });
    onTestFinished(() => client.close());
    await expect(client.models().list(undefined)).rejects.toMatchObject({ status: 502 });
    await expect(client.chat().createSimple(undefined, 'glm-4.6', 'Hi')).rejects.toMatchObject({ status: 503, code: '1305' });
    await expect(client.chat().createSimple(undefined, 'glm-4.6', 'Hi')).rejects.toMatchObject({ code: '1305' });
    expect((await client.models().list(undefined)).data.length).toBeGreaterThan(0);
    mock.child.kill('SIGTERM');
    expect((await mock.ended).code).toBe(0);
  });

  it.each([
    ['rateLimit(2)', { status: 429, retryAfter: '2' }],
    ['rateLimit(0)', { status: 429, retryAfter: '0' }],
    ["rateLimit(1, '1305')", { status: 429, retryAfter: '1' }],
    ['error(503, 1305)', { status: 503, retryAfter: null }],
    ['serverErrors(1, 502)', { status: 502, retryAfter: null }],
  ])('--fault %s takes a plain number', async (fault, answer) => {
    const mock = start(['mock', '--port', '0', '--fault', fault]);
    const reply = await fetch(`${(await mock.line()).trim()}/models`, { headers: { authorization: 'Bearer any' } });
    expect({ status: reply.status, retryAfter: reply.headers.get('retry-after') }).toEqual(answer);
    mock.child.kill('SIGINT');
    await mock.ended;
  });

  it.each([
    ['nope=gzip', /^modelsvc: --fault nope=gzip: operation nope is unknown; remove it, or check its name/],
    ['chat.creat=gzip', /: operation chat\.creat is unknown; did you mean chat\.create\?/],
    ['error(99, 1305)', /: status must be an integer from 200 to 599, not 99/],
    ['error(1e999)', /: status must be an integer from 200 to 599/],
    ['chat.create=slowHeaders(1e12)', /: ms must be a number from 0 to 2147483647, not 1000000000000/],
    ['slowHeaders', /: ms must be a number/],
    ["rateLimit('1')", /: retryAfter must be an object with one of seconds, dateInMs, ms, text/],
    ['truncatedStream(midframe)', /: at must be one of frame, midFrame; did you mean midFrame\?/],
    ['rateLimit(text)', /: retryAfter must be an object/],
    ['gzip(5)', /: argument 1 is one too many; gzip\(\) takes 0/],
  ])('--fault %s is refused before the mock serves', async (text, message) => {
    for (const option of ['--fault', '--fault-once']) {
      const { code, stdout, stderr } = await run(['mock', '--port', '0', option, text]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr.replace('--fault-once', '--fault')).toMatch(message);
    }
  });

  it('an unknown fault and a taken port are one clear line', async () => {
    const unknown = await run(['mock', '--fault', 'chat.create=nope']);
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'modelsvc: --fault: there is no fault "nope"\nRun `modelsvc help faults` for their names.\n',
    });
    const first = start(['mock', '--port', '0']);
    const port = new URL((await first.line()).trim()).port;
    const second = await run(['mock', '--port', port]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`port ${port} is taken`);
    first.child.kill('SIGINT');
    await first.ended;
  });
});

describe('spec', () => {
  it('prints the document, as YAML and as JSON', async () => {
    const { stdout } = await run(['spec']);
    expect(stdout).toMatch(/^openapi: 3\.1/m);
    const parsed = JSON.parse((await run(['spec', '--json'])).stdout) as { openapi: string; paths: object };
    expect(Object.keys(parsed.paths).length).toBeGreaterThan(30);
  });

  it('a reader that goes away ends it quietly', () => {
    const out = execFileSync('/bin/sh', ['-c', `"${process.execPath}" "${program}" spec 2>&1 | head -c 20; echo`], { encoding: 'utf8' });
    expect(out).toMatch(/^openapi: 3\.1/);
    expect(out).toHaveLength(21);
  });
});

describe('help', () => {
  it('of a command has examples before options, and of the program the groups', async () => {
    const { stdout } = await run(['help', 'models', 'list']);
    expect(stdout.indexOf('Examples:')).toBeLessThan(stdout.indexOf('Options:'));
    expect((await run(['models', 'list', '--help'])).stdout).toBe(stdout);
    expect((await run(['help'])).stdout).toBe((await run(['--help'])).stdout);
    expect((await run(['help', '--all'])).stdout).toBe((await run(['--help', '--all'], { env: { COLUMNS: '40' } })).stdout);
  });

  it('has topics, and the table of commands as JSON', async () => {
    expect((await run(['help', 'exit-codes'])).stdout).toMatch(/^ {2}130 +ended by Ctrl-C$/m);
    const table = JSON.parse((await run(['help', '--json'])).stdout) as { commands: { name: string; examples: unknown[] }[] };
    expect(table.commands.map(({ name }) => name)).toContain('models');
    expect((await run(['help', 'nope'])).code).toBe(2);
  });

  it('lists each fault with its parameters and its effect', async () => {
    const { stdout } = await run(['help', 'faults']);
    expect(stdout).toMatch(/^ {2}slowHeaders\(ms\) +Send the headers after `ms` milliseconds\.$/m);
    const table = JSON.parse((await run(['help', 'faults', '--json'])).stdout) as Record<string, string>;
    const names = Object.keys(table).map((signature) => signature.replace(/\(.*/, ''));
    expect([...names, 'all']).toEqual(Object.keys(faults));
    expect(Object.values(table).filter((text) => !/^[A-Z`].*\.$/.test(text))).toEqual([]);
  });

  it('loads no library code', async () => {
    const traced = execFileSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(tracer)}`, program, '--help'], {
      encoding: 'utf8',
    });
    expect(traced).not.toMatch(/dist\/(index|shared)/);
    expect(traced).toMatch(/dist\/cli\/main\.js$/m);
    expect(traced).toContain('modelsvc COMMAND');
  });
});

/** Prints the URL of each module that Node loads. */
const tracer = `import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(\`import { writeSync } from 'node:fs';
export async function load(url, context, next) { writeSync(1, url + String.fromCharCode(10)); return next(url, context); }\`));`;

describe('completion', () => {
  const complete = async (...words: string[]): Promise<string[]> =>
    (await run(['__complete', ...words])).stdout.split('\n').map((line) => line.split('\t')[0] ?? '');

  it('completes commands, options, choices and models', async () => {
    expect(await complete('model')).toEqual(['models', '']);
    expect(await complete('models', '')).toEqual(['list', 'show', '']);
    expect(await complete('models', 'list', '--cap')).toEqual(['--capability', '']);
    expect(await complete('models', 'list', '--capability', 'v')).toEqual(['vision', '']);
    expect(await complete('models', '--output=js')).toEqual(['--output=json', '--output=jsonl', '']);
    expect(await complete('models', '--output', '=', 'js')).toEqual(['json', 'jsonl', '']);
    expect(await complete('models', 'get', 'glm-4.6')).toEqual(['glm-4.6', 'glm-4.6v', 'glm-4.6v-flash', 'glm-4.6v-flashx', '']);
  });

  it('offers files only where a command reads one', async () => {
    expect(await complete('chat', '-f', '')).toEqual([':files', '']);
    expect(await complete('audio', 'transcribe', 'ca')).toEqual([':files', '']);
    expect(await complete('coding', 'run', 'codex', '--', '')).toEqual([':files', '']);
    expect(await complete('voices', 'delete', '')).toEqual(['']);
    expect(await complete('accounts', 'us')).toEqual(['use', '']);
  });

  it.skipIf(!existsSync('/bin/bash'))('works in bash', () => {
    const script = `
      modelsvc() { "${process.execPath}" "${program}" "$@"; }
      eval "$(modelsvc completion bash)"
      COMP_WORDS=(modelsvc models list --capability vi); COMP_CWORD=4; _modelsvc; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(modelsvc model); COMP_CWORD=1; _modelsvc; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('/bin/bash', ['-c', script], { encoding: 'utf8' })).toBe('vision\nmodels\n');
  });

  it.skipIf(!existsSync('/bin/bash')).each([
    ['chat -f ph', 'photo a.png,photo.png'],
    ['chat --file=ph', 'photo a.png,photo.png'],
    ['audio transcribe ph', 'photo a.png,photo.png'],
    ['map T{line} ro', 'rows.csv'],
    ['audio transcribe no', ''],
    ['models list --capability vi', 'vision'],
  ])('completes %s in bash 3.2, which has no compopt', async (line, found) => {
    const cwd = await newHome();
    for (const name of ['photo.png', 'photo a.png', 'rows.csv']) await writeFile(join(cwd, name), '');
    const script = `
      enable -n compopt
      modelsvc() { "${process.execPath}" "${program}" "$@"; }
      eval "$(modelsvc completion bash)"
      COMP_WORDS=(modelsvc ${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _modelsvc; IFS=,; echo "\${COMPREPLY[*]}"`;
    const printed = execFileSync('/bin/bash', ['-c', script], { encoding: 'utf8', cwd }).trim();
    expect(printed.split(',').sort().join(',')).toBe(found);
  });

  const own = `modelsvc() { "${process.execPath}" "${program}" "$@"; }\n`;

  it.skipIf(!existsSync('/usr/bin/zsh'))('works in zsh, where a value without a description has no dashes after it', () => {
    const script = `${own}
      compdef() { :; }; compset() { :; }; _files() { echo files; }
      compadd() { echo "words: $@"; }; _describe() { echo "described: \${(P)2}"; }
      eval "$(modelsvc completion zsh)"
      words=(modelsvc models --output=js); CURRENT=3; _modelsvc
      words=(modelsvc model); CURRENT=2; _modelsvc
      words=(modelsvc chat -f ''); CURRENT=4; _modelsvc
      words=(modelsvc voices delete ''); CURRENT=4; _modelsvc; true`;
    const expected = 'words: -- --output=json --output=jsonl\ndescribed: models:List the models and their limits\nfiles\n';
    expect(execFileSync('/usr/bin/zsh', ['-fc', script], { encoding: 'utf8' })).toBe(expected);
  });

  it.skipIf(!existsSync('/usr/bin/fish'))('works in fish, with files only where a command reads one', async () => {
    const home = await newHome();
    await writeFile(join(home, 'notes.txt'), '');
    const script = `
      function modelsvc; "${process.execPath}" "${program}" $argv; end
      modelsvc completion fish | source
      for line in 'modelsvc voices ' 'modelsvc models --output=js' 'modelsvc chat -f ' 'modelsvc chat --file=no' 'modelsvc voices delete '
        complete -C $line | string replace -r '\\t.*' ''
        echo .
      end`;
    const stdout = execFileSync('/usr/bin/fish', ['--no-config', '-c', script], { encoding: 'utf8', cwd: home, env: { ...process.env, HOME: home } });
    expect(stdout).toBe('clone\ndelete\nlist\n.\n--output=json\n--output=jsonl\n.\nnotes.txt\n.\n--file=notes.txt\n.\n.\n');
  });

  it('another shell is refused', async () => {
    expect((await run(['completion', 'csh'])).stderr).toContain('SHELL must be bash, zsh, fish or powershell, not "csh"');
  });
});
