// The options of commands follow the document: each field has an option that sends it, and no list of values is closed by hand.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { globalOptions } from '../../src/cli/table/global-options.ts';
import { commandHelp, pipePage } from '../../src/cli/table/help.ts';
import { type CommandSpec, loadAll, type OptionSpec } from '../../src/cli/table/spec.ts';
import * as generated from '../../src/generated/options.ts';
import { newHome, withFake } from './support/in-process.ts';

const fields: Readonly<Record<string, readonly generated.FieldOption[]>> = { ...generated };

/** The command of an operation, with the words of a call. */
const calls: Readonly<Record<string, readonly [command: string, ...words: readonly string[]]>> = {
  imagesGenerate: ['images create', 'hi'],
  videosGenerate: ['videos create', 'hi'],
  audioTranscribe: ['audio transcribe', 'call.wav'],
  audioSpeech: ['audio speak', 'hi', '-O', '-'],
  voiceClone: ['voices clone', 'anna', 'call.wav', '--text', 'hi'],
  voiceList: ['voices list'],
  voiceDelete: ['voices delete', 'voice_clone_20260711_101201_narrator', '--yes'],
  layoutParse: ['ocr layout', 'https://example.com/a.png'],
  layoutHandwritingOCR: ['ocr handwriting', 'note.jpg'],
  fileParserCreate: ['parse create', 'page.pdf'],
  fileParserSync: ['parse sync', 'page.pdf'],
  embeddingsCreate: ['embeddings create', 'rain'],
  moderationsCreate: ['moderate', 'hi'],
  rerankCreate: ['rerank', 'wet', 'rain', 'sun'],
  toolsWebSearch: ['search', 'node'],
  toolsWebReader: ['read', 'https://example.com'],
  toolsTokenize: ['tokens count', 'hi'],
};

/** Operations whose commands have options of their own: a conversation, a range of time, pages, a file of requests, a job. */
const byHand = [
  ...['chatCreate', 'chatCreateAsync', 'anthropicCreate', 'anthropicCountTokens', 'responsesCreate'],
  ...['agentsInvoke', 'agentsAsyncResult', 'agentsConversation', 'imagesGenerateAsync'],
  ...['filesList', 'filesUpload', 'batchList', 'batchCreate'],
  ...['quotaGetLimit', 'quotaGetModelUsage', 'quotaGetToolUsage', 'quotaGetCreditUsage', 'quotaGetActivity'],
];

const all = await loadAll(sections);

function commandOf(path: string): CommandSpec {
  const found = path.split(' ').reduce<CommandSpec | undefined>((above, name) => above?.commands?.find((one) => one.name === name), {
    name: '',
    summary: '',
    examples: [],
    commands: all,
  });
  if (!found) throw new Error(`there is no command ${path}`);
  return found;
}

it('each operation with fields has a command, or one whose options are its own', () => {
  const known = [...Object.keys(calls), ...byHand];
  expect(Object.keys(fields).filter((one) => !known.includes(one))).toEqual([]);
  expect(known.filter((one) => !(one in fields))).toEqual([]);
});

/** The fields that no option or argument of a command carries. */
function uncarried(rows: readonly generated.FieldOption[], { options = [], arguments: args = [] }: CommandSpec): string[] {
  const carried = [...options, ...args].map(({ field }) => field);
  return rows.flatMap(({ field }) => (carried.includes(field) ? [] : [field]));
}

describe.each(Object.entries(calls))('%s', (operation, [command]) => {
  const spec = commandOf(command);
  const { options = [] } = spec;

  it('has each field in an option or an argument', () => expect(uncarried(fields[operation] ?? [], spec)).toEqual([]));

  it('has each name once, and none of an option of every command', () => {
    const names = [...options, ...globalOptions].flatMap(({ name, short }) => (short === undefined ? [name] : [name, `-${short}`]));
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  });

  it('is closed where the document is', () => {
    const rows = fields[operation] ?? [];
    for (const { field, choices } of options.filter(({ field }) => field !== undefined))
      expect(choices, field).toEqual(rows.find((row) => row.field === field)?.choices);
  });
});

it('a field that no command carries is named', () => {
  const rows = [...(fields['rerankCreate'] ?? []), { name: 'more', field: 'more', summary: 'More' }];
  expect(uncarried(rows, commandOf('rerank'))).toEqual(['more']);
});

/** Words of an option, and the value that is sent. */
function sampleOf({ name, kind, choices, known, off, default: preset }: OptionSpec): readonly [words: readonly string[], sent: unknown] {
  if (kind === undefined || kind === 'flag') return [[`--${name}`], off !== true];
  if (kind === 'integer' || kind === 'number') {
    const number = Number.isNaN(Number(preset)) || preset === undefined ? 1 : Number(preset);
    return [[`--${name}`, String(number)], number];
  }
  const text = choices?.[0] ?? known?.[0] ?? 'sample-1';
  return [[`--${name}`, text], kind === 'list' ? [text] : text];
}

/** Values that a command translates. */
const translated: Readonly<Record<string, unknown>> = { 'voices list --type': 'OFFICIAL', 'search --recency': 'oneDay' };

const rows = Object.values(calls).flatMap(([command, ...words]) =>
  (commandOf(command).options ?? []).flatMap((option) =>
    option.field === undefined ? [] : [{ line: `${command} --${option.name}`, command, words, option }],
  ),
);

test('there are options of the document', () => expect(rows.length).toBeGreaterThan(80));

test.for(rows)('$line sends its field', async ({ line, command, words, option }) => {
  const { fake, modelsvc } = await withFake();
  const HOME = await newHome();
  for (const name of ['call.wav', 'note.jpg', 'page.pdf']) await writeFile(join(HOME, name), 'text');
  const [own, sent] = sampleOf(option);
  const fileId = option.field === 'file_id' ? words.filter((word) => word !== 'call.wav') : words;
  const { stderr } = await modelsvc([...command.split(' '), ...fileId, ...own, '--service-rules', 'off'], { env: { HOME } });
  const request = fake.requests.find(({ operation }) => operation !== 'files.upload');
  const given = { ...request?.parameters, ...(request?.body as Record<string, unknown> | undefined) }[option.field ?? ''];
  const wanted = translated[line] ?? sent;
  // A form has texts only.
  expect(given, stderr).toEqual(request?.parts.length ? String(wanted) : wanted);
});

test.for([
  ['read https://example.com --format html', 'return_format', 'html'],
  ['parse create page.pdf --tier ultra', 'tool_type', 'ultra'],
  ['voices list --type team', 'voiceType', 'TEAM'],
  ['search node --recency oneHour', 'search_recency_filter', 'oneHour'],
  ['audio speak hi -O - --format opus', 'response_format', 'opus'],
])('%s is sent, because the list of the document is open', async ([line = '', field = '', sent]) => {
  const { fake, modelsvc } = await withFake();
  const HOME = await newHome();
  await writeFile(join(HOME, 'page.pdf'), 'text');
  await modelsvc(line.split(' '), { env: { HOME } });
  const [request] = fake.requests;
  expect({ ...request?.parameters, ...(request?.body as object) }).toMatchObject({ [field]: sent });
});

test('help has range, default and known values of the document', () => {
  const help = commandHelp(commandOf('search'), ['search'], pipePage).replace(/\s+/g, ' ');
  expect(help).toContain('--count N Number of results, 1 to 50. Default: 10');
  expect(help).toContain('--content-size TEXT Length of the excerpts, for instance medium, high');
});
