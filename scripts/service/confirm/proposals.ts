// A finding as a change of the lines of the document, which a person judges.
import { isNode, LineCounter, parseDocument } from 'yaml';
import { namesOf } from '../../../src/overlay/json/pointer.ts';
import { type ExchangeFinding, findingText } from '../judge/finding.ts';

/** The text of each finding that has a place in the document: its line as it is, and what would change. */
export function proposals(findings: readonly ExchangeFinding[], text: string, source: string): string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const rows = text.split('\n');
  return findings.flatMap((finding) => {
    if (finding.kind === 'not reached') return [];
    const node = finding.rule?.startsWith('#') ? document.getIn(namesOf(finding.rule), true) : undefined;
    const { range } = isNode(node) ? node : {};
    const head = `--- spec/openapi.yaml\n+++ spec/openapi.yaml\n`;
    const note = `${findingText(finding)} (${source})`;
    if (!range) return [`${head}# ${note}`];
    // The value begins below its key, unless it is on the same line.
    const { line } = lines.linePos(range[0]);
    const row = rows[line - 1] ?? '';
    return [`${head}@@ line ${line} @@\n ${row}\n+${' '.repeat(row.length - row.trimStart().length)}# ${changeOf(finding)}\n# ${note}`];
  });
}

function changeOf({ kind, place, expected, seen }: ExchangeFinding): string {
  const name = place.slice(place.lastIndexOf('.') + 1);
  if (expected === 'no such field') return `add the field ${name}: seen ${seen}`;
  if (kind === 'new') return `add the word ${seen}`;
  return expected === 'the field' ? `${name} is not always there` : `seen ${seen}`;
}
