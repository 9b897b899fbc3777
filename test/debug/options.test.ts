import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { debugHook } from '../../src/debug/index.ts';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { built, childOutcome } from '../support/child.ts';
import { sharedFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

describe('options of debugHook', () => {
  test.each([
    [null, 'debugHook takes an object of options'],
    ['shape', 'debugHook takes an object of options'],
    [[], 'debugHook takes an object of options'],
    [{ write: 'stderr' }, 'debugHook.write must be a function'],
    [{ write: null }, 'debugHook.write must be a function'],
    [{ content: 'all' }, "debugHook.content must be 'none', 'shape' or 'full'"],
    [{ content: null }, "debugHook.content must be 'none', 'shape' or 'full'"],
    [{ content: ['none'] }, "debugHook.content must be 'none', 'shape' or 'full'"],
    [{ contents: 'none' }, 'debugHook.contents is unknown; did you mean content?'],
  ])('%j is a ConfigError that names the field', async (options, message) => {
    const failure = await failureOf(() => debugHook(options as never));
    expect(isModelsvcError(failure, 'config')).toBe(true);
    expect((failure as Error).message).toBe(message);
  });

  test('undefined options count as absent', () => {
    expect(Object.keys(debugHook({ write: undefined, content: undefined }))).toContain('onEnd');
  });
});

describe('without write', () => {
  test('lines go to stderr, and stdout stays empty', async () => {
    const { stdout, stderr } = await childOutcome(call(config()));
    expect(stdout).toBe('');
    expect(stderr.match(/^modelsvc #1 chat\.createSimple .*$/gm)).toHaveLength(4);
  });

  test('a closed stderr does not end the process', async () => {
    const program = `import { newClient } from '${built('index')}';\n${call(config())}console.log('done');`;
    const { stdout } = await promisify(execFile)('sh', ['-c', '"$0" --input-type=module --eval "$1" 2>&-', process.execPath, program]);
    expect(stdout).toBe('done\n');
  });

  test('a browser gets them at the debug level of its console', async () => {
    const program = `const { writeLine } = await import('${new URL('../../src/overlay/platform.ts', import.meta.url)}?browser');
    console.log = console.error = () => {};`;
    const browser = `delete globalThis.process; const lines = []; console.debug = (line) => lines.push(line);
    ${program} writeLine('%s a line'); globalThis.process = saved; saved.stdout.write(lines.join());`;
    const { stdout } = await childOutcome(`const saved = process; ${browser}`);
    expect(stdout).toBe('%s a line');
  });
});

const fake = await sharedFake();

function config(): string {
  return JSON.stringify(fake.configFor());
}

function call(config: string): string {
  return `import { debugHook } from '${built('debug')}';
  const client = newClient({ ...${config}, hooks: [debugHook()] });
  await client.chat().createSimple(undefined, 'glm-5.2', 'hi');\n`;
}
