// No text of the user is shown: neither by a dry run nor by the question before a write.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codingTools } from '../../../src/cli/coding/tools/index.ts';
import { filesWithCanaries } from './support/canaries.ts';
import { codingHome, key } from './support/home.ts';

const tools = codingTools.filter(({ load, mcp }) => load || mcp);

test.each(
  tools.map(({ id, load, mcp, keyModes }) => ({ id, load: load !== undefined, mcp: mcp !== undefined, isPlain: keyModes.includes('plain') })),
)('$id: a canary in every place of its files is not printed', async ({ id, load, mcp, isPlain }) => {
  const user = await codingHome();
  await user.put(`.cursor/x`, '');
  const add = load
    ? ['coding', 'load', id, '--no-check', ...(mcp ? ['--mcp'] : []), ...(isPlain ? ['--key-mode', 'plain'] : [])]
    : ['coding', 'mcp', 'add', id];
  await user.ok([...add, '--yes']);
  const { entries } = await user.record();
  await user.ok(['coding', 'unload', id, '--yes']);
  const files = [...new Set(entries.map(({ file }) => file))].map((file) => {
    const own = entries.filter((entry) => entry.file === file);
    return {
      file: file.slice(user.home.length + 1),
      format: own[0]?.format ?? 'json',
      paths: own.flatMap(({ edits }) => edits.map(({ path }) => path)),
    };
  });
  const commands = [[...add, '--dry-run'], [...add, '--dry-run', '--json'], add, [...add, '--yes'], [...add, '--dry-run'], ['coding', 'status']];
  const back = ['coding', 'unload', id];
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(fc.tuple(...files.map(({ format, paths }) => filesWithCanaries(format, paths))), async (texts) => {
      for (const [at, { file }] of files.entries()) await user.put(file, texts[at] as string);
      for (const args of [...commands, [...back, '--dry-run'], back, [...back, '--yes', '--force']]) {
        const { stdout, stderr } = await user.sh(args);
        const said = stdout + stderr;
        expect(said, args.join(' ')).not.toContain('Repair');
        expect(said, args.join(' ')).not.toContain('CANARY');
        expect(said, args.join(' ')).not.toContain(key);
        if (said.includes('\n+')) shown++;
      }
    }),
    { numRuns: 4 },
  );
  expect(shown, 'previews').toBeGreaterThan(10);
});
