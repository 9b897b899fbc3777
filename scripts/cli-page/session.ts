// A terminal session of common tasks, run by the built program against the fake service.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FakeService, fakeKey, startFakeService } from '../../src/testing/index.ts';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Task {
  readonly line: string;
  readonly script?: (fake: FakeService) => unknown;
  /** The command sends no request. */
  readonly isLocal?: boolean;
}

const tasks: readonly Task[] = [
  { line: 'modelsvc accounts add work --api-key-file key.txt' },
  { line: 'modelsvc accounts list -o table', isLocal: true },
  { line: 'modelsvc chat "Why is the sky blue?"', script: (fake) => fake.chat.reply({ text: ['Air scatters blue light ', 'more than red light.'] }) },
  {
    line: 'modelsvc chat -c --usage "In five words?"',
    script: (fake) => fake.chat.reply({ text: 'Short waves scatter the most.', usage: { input: 31, output: 6 } }),
  },
  { line: 'cat change.diff | modelsvc chat "Write a commit message"', script: (fake) => fake.chat.reply('Greet the world, not only the team') },
  { line: "modelsvc chat --schema 'name, age int' 'Ann is 42.'", script: (fake) => fake.chat.reply('{"name":"Ann","age":42}') },
  { line: 'modelsvc messages "Say hello."', script: (fake) => fake.messages.reply('Hello!') },
  {
    line: "modelsvc map --ordered 'Translate to French: {line}' words.txt",
    script: (fake) => fake.fallback('chat.create', ({ body }) => ({ turn: { text: JSON.stringify(body).includes('bread') ? 'pain' : 'fromage' } })),
  },
  { line: 'modelsvc audio speak "Hello" -O hello.wav' },
  { line: 'modelsvc files upload requests.jsonl --purpose batch' },
  { line: 'modelsvc quota --format statusline' },
  { line: 'modelsvc chat --dry-run=curl "Hello"' },
  { line: 'modelsvc chat --modle glm-5.3 "Hello"', isLocal: true },
];

const files: Readonly<Record<string, string>> = {
  'key.txt': `${fakeKey}\n`,
  'change.diff': '-Hello team\n+Hello world\n',
  'words.txt': 'bread\ncheese\n',
  'requests.jsonl':
    '{"custom_id":"1","method":"POST","url":"/v4/chat/completions","body":{"model":"glm-5.1","messages":[{"role":"user","content":"Hi"}]}}\n',
};

/** The lines as they were typed, each with its output. */
export async function recordedSession(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-session-'));
  const fake = await startFakeService();
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    let session = '';
    for (const { line, script, isLocal } of tasks) {
      script?.(fake);
      const output = await run(line, folder, isLocal ? undefined : fake.url);
      // The status line names the peak hours while they last.
      const lasting = output.replace(/ \| peak \d+x$/m, '');
      session += `$ ${line}\n${lasting.replaceAll(`${fake.url}/chat`, 'https://api.z.ai/api/paas/v4/chat').replaceAll(fake.url, 'https://api.z.ai').replaceAll(folder, '~')}`;
    }
    return session;
  } finally {
    await fake.close();
    await rm(folder, { recursive: true });
  }
}

async function run(line: string, folder: string, url: string | undefined): Promise<string> {
  const base = url === undefined ? '' : ` --base-url ${url}`;
  const shell = `modelsvc() { "${process.execPath}" "${program}" "$@"${base}; }\n{ ${line}; } 2>&1 </dev/null`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell], { cwd: folder, env }).catch((error: { stdout: string }) => error);
  return stdout;
}
