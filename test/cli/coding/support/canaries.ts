// Settings files with a canary in every place that the format has: values, list items, keys that are data, comments, anchors, tags.
import fc from 'fast-check';
import { stringify as tomlText } from 'smol-toml';
import { Document } from 'yaml';
import type { Path } from '../../../../src/cli/coding/edits/edit.ts';
import type { FileFormat } from '../../../../src/cli/coding/tool.ts';

/** Letters and digits mixed, as in a key. */
export const canary = 'q7CANARYz9';

/** Texts in which people keep secrets. */
const secrets: readonly unknown[] = [
  canary,
  `Basic ${canary}`,
  `Bearer ${canary}`,
  `session=${canary}; path=/`,
  `https://user:${canary}@host.example/?key=${canary}#x`,
  `{"token":"${canary}","n":1}`,
  `TOKEN=${canary}\nexport OTHER="${canary}"`,
  `sh -c 'curl -H "x-key: ${canary}" https://host.example'`,
  ['--token', canary, `--key=${canary}`],
  [`gemini=${canary}`],
  { headers: { 'X-Any': canary, Cookie: `a=${canary}` }, note: `line\n  ${canary}\n` },
  { [canary]: true, [`https://user:${canary}@host.example`]: 1 },
  [{ name: canary, args: ['-k', canary] }],
];

type Fields = Record<string, unknown>;

/** A document in which the containers of the given paths have members with canaries, and the leaves have them as values. */
function valueWith(paths: readonly Path[], pick: (of: number) => number): Fields {
  const root: Fields = {};
  const spice = (fields: Fields): void => {
    for (let left = 1 + pick(3); left > 0; left--) fields[`mine${left}`] = secrets[pick(secrets.length)];
  };
  const at = (container: Fields | unknown[], step: Path[number], make: () => unknown): unknown => {
    if (typeof step === 'string') return ((container as Fields)[step] ??= make());
    const list = container as Fields[];
    const found = list.find((item) => Object.entries(step).every(([key, value]) => item[key] === value));
    if (found) return found;
    list.push({ name: `other ${canary}`, apiKey: canary });
    const item = { ...step };
    list.push(item);
    spice(item);
    return item;
  };
  for (const path of paths) {
    let container: Fields | unknown[] = root;
    for (const [index, step] of path.slice(0, -1).entries()) {
      container = at(container, step, () => {
        if (typeof path[index + 1] !== 'string') return [];
        const made: Fields = {};
        spice(made);
        return made;
      }) as Fields | unknown[];
      if (typeof container !== 'object') break;
    }
    const leaf = path.at(-1);
    if (typeof container === 'object' && typeof leaf === 'string' && pick(2) === 0) (container as Fields)[leaf] ??= `own ${canary}`;
  }
  spice(root);
  return root;
}

function textOf(format: FileFormat, value: Fields, pick: (of: number) => number): string {
  if (format === 'toml')
    return `# ${canary}\n${tomlText(value)}\n[zz] # ${canary}\nlong = """\n${canary}\n  x ${canary}"""\nraw = '''${canary}'''\n[[zy."${canary}"]]\na.${canary}.b = "${canary}"\nday = 2026-11-25\n`;
  if (format === 'yaml') {
    const document = new Document(value);
    document.commentBefore = ` ${canary}\n second ${canary}`;
    document.comment = ` ${canary}`;
    const more = `zz: &${canary} ${canary}\nzy: *${canary}\nzx: !${canary} ${canary}\nzw: !!str ${canary}\nzv: >-\n  ${canary}\n  ${canary}\nzu: '${canary}' # ${canary}\nzt: {? "${canary}" : [${canary}]}\n`;
    return document.toString({ indent: 2 + 2 * pick(2) }).replace(/(?=\n# .*\n*$)/, `\n${more.trimEnd()}`);
  }
  const text = JSON.stringify(value, null, [0, 2, 4, '\t'][pick(4)]);
  if (format === 'json') return text;
  const marks = [` // ${canary}`, ` /* ${canary}\n ${canary} */`, '', ''];
  return `// ${canary}\n${text.replace(/\n/g, () => `${marks[pick(marks.length)]}\n`)}\n/* ${canary} */\n`;
}

/** Texts of a file in which these paths are set. */
export function filesWithCanaries(format: FileFormat, paths: readonly Path[]): fc.Arbitrary<string> {
  return fc.infiniteStream(fc.nat()).map((stream) => {
    const pick = (of: number): number => (stream.next().value as number) % of;
    return textOf(format, valueWith(paths, pick), pick);
  });
}
