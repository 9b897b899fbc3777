// An answer is read once, in src/overlay/surfaces. Every other file that reads the raw fields of a reply is listed here, with its reason.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('../../src/', import.meta.url);

const readers: readonly (readonly [reason: string, ...files: string[]])[] = [
  ['the readers, and the forms of the wire', 'overlay/surfaces/'],
  ['assembles a reply from its pieces', 'overlay/streams/'],
  [
    'brings a reply into one form as it arrives',
    'overlay/batch/output.ts',
    'overlay/call/operations/request-json.ts',
    'overlay/call/reply/decode.ts',
  ],
  ['finds the broken call in a request that was refused', 'overlay/errors/advice.ts'],
  ['facts of a chunk or a reply for observers', 'overlay/hooks/response-facts.ts'],
  ['the size of a part that no reader has taken yet', 'overlay/monitor/arrived.ts'],
  ['judges whether a job has a result of any kind', 'overlay/services/jobs.ts'],
  ['a transcript in the form of a completion', 'overlay/services/audio.ts'],
  ['describes wire forms, also those of requests', 'observe/messages.ts', 'debug/shape.ts'],
  ['finds links in results of any kind', 'node/contents.ts'],
  ['replies of agents, which are no answers of a surface', 'cli/commands/agents/'],
  ['the last event of any stream', 'cli/commands/api/reply.ts'],
  ['messages of a conversation, without open calls', 'cli/talk/continuation.ts'],
  ['words of an option or of a JSON Schema', 'cli/table/', 'cli/input/input.ts', 'overlay/tools/schema-check.ts'],
];

const field =
  /(?:[\w)\]]\??\.|\[')(?:choices|tool_calls|stop_reason)\b|'(?:choices|tool_calls|stop_reason|output)' in |\{[^{}\n]*\b(?:choices|tool_calls|stop_reason)\b[^{}\n]*\}(?:: | = |\) =>)/;
const output =
  /\['output'\]|\b(?:reply|response|result|answer|body)\)?\??\.output\b|\{[^{}\n]*\boutput\b[^{}\n]*\} = (?:fieldsOf|reply|response|fields)/;

/** The code of a file, without comments and without texts that are not names of fields. */
function codeOf(file: string): readonly string[] {
  const text = readFileSync(new URL(file, source), 'utf8').replace(/'(?!(?:choices|tool_calls|stop_reason|output)')[^'\n]*'/g, "''");
  return text.split('\n').filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));
}

test('raw fields of a reply are read only where this list allows it', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    // The fake makes replies.
    .filter((file) => file.endsWith('.ts') && !/^(generated|testing)\//.test(file));
  const reading = files.filter((file) => codeOf(file).some((line) => field.test(line) || output.test(line)));
  const isIn = (file: string, place: string): boolean => (place.endsWith('/') ? file.startsWith(place) : file === place);
  const places = readers.flatMap(([, ...listed]) => listed);
  expect(reading.filter((file) => !places.some((place) => isIn(file, place)))).toEqual([]);
  expect(places.filter((place) => !reading.some((file) => isIn(file, place)))).toEqual([]);
});
