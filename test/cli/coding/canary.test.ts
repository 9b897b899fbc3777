// No text of the user is shown: neither by a dry run nor by the question before a write.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codingTools } from '../../../src/cli/coding/tools/index.ts';
import { canary, filesWithCanaries } from './support/canaries.ts';
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

test.each<[string, string, string]>([
  ['codex', '.codex/config.toml', `a.${canary} = "x"\na.${canary} = "x"\n`],
  ['codex', '.codex/config.toml', `token = ${canary}\n`],
  ['codex', '.codex/config.toml', `["${canary}"]\n["${canary}"]\n`],
  ['aider', '.aider.conf.yml', `token: *${canary}\n`],
  ['aider', '.aider.conf.yml', `token: "${canary}\n- x`],
  ['aider', '.aider.conf.yml', `model: &${canary} x\nother: *${canary}\n`],
  ['goose', '.config/goose/config.yaml', `GOOSE_MODEL: !${canary} x\n`],
  ['crush', '.config/crush/crush.json', `{"token": ${canary}}`],
  ['crush', '.config/crush/crush.json', `{"models": "${canary}"}`],
])('%s: the refusal of %s does not quote the file %j', async (id, file, text) => {
  const user = await codingHome();
  await user.put(file, text);
  const { code, stdout, stderr } = await user.sh(['coding', 'load', id, '--default', '--yes', '--no-check']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(file);
  expect(stderr).not.toContain('CANARY');
});
