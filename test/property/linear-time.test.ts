import { describe, expect, test } from 'vitest';
import { sanitizeToolSchemas } from '../../src/overlay/tool-schema/index.ts';
import { sampled } from '../support/deep.ts';
import { argumentRows, byLevels } from './linear-time/arguments.ts';
import { exchangeRows } from './linear-time/exchanges.ts';
import { expectLinear, sizesUpTo } from './linear-time/growth.ts';
import { replyRows } from './linear-time/replies.ts';
import { hostileSchemas } from './linear-time/schemas.ts';
import { streamRows } from './linear-time/streams.ts';

const rows = [...argumentRows, ...streamRows, ...replyRows, ...exchangeRows];

describe('work on foreign text grows no faster than the text', () => {
  test.each(sampled(rows, 4))('%s: %s', (_, __, workOf) => expectLinear(workOf, sizesUpTo(64_000)));
  test.each(sampled(byLevels, 4))('%s: %s', (_, __, workOf) => expectLinear(workOf, [8, 12, 16, 20, 24, 28]));
});

describe('rewriting a tool schema takes no longer than its size', () => {
  test.each(sampled(Object.entries(hostileSchemas), 4))('%s', async (_, schemaOf) => {
    // Some schemas have a hundred times the text of others. Above some hundred kilobytes, more text adds seconds and no power to the test.
    const bytes = JSON.stringify(schemaOf(500)).length * 16;
    await expectLinear(
      (size) => {
        const schema = schemaOf(size);
        return () => sanitizeToolSchemas([{ type: 'function', function: { name: 'f', parameters: schema } }]);
      },
      sizesUpTo(bytes > 700_000 ? 2_000 : 8_000),
    );
  });
});

/** Files of `src` whose every function is in the table, but for those that look at one word or number, or only hand on. */
const audited: Readonly<Record<string, readonly string[]>> = {
  mcp: ['index', 'result-text'],
  'overlay/above': ['usage-meter'],
  'overlay/batch': ['jsonl', 'output'],
  'overlay/call/reply': ['retry-after'],
  'overlay/errors': ['failure', 'server-time', 'without-secrets'],
  'overlay/json': ['argument-repair', 'exact', 'json-in-text', 'schema-document'],
  'overlay/monitor': ['quota-windows', 'tokens'],
  'overlay/secrets': ['clean', 'credential-names', 'key-shapes', 'secrets', 'secrets-in-text'],
  'overlay/streams': ['chat-accumulator', 'helpers', 'messages-accumulator', 'responses-accumulator', 'speech-bytes', 'tool-calls'],
  'overlay/surfaces': ['answer-of', 'finish', 'leaked-call', 'protocol'],
  'overlay/surfaces/chat': ['cut-heads', 'protocol'],
  'overlay/surfaces/messages': ['input-text', 'protocol'],
  'overlay/surfaces/responses': ['protocol'],
  'overlay/tools': ['argument-mending', 'growing-json', 'schema-check', 'standard-schema', 'structured-output', 'typed-tool', 'usage'],
  'testing/exchanges': ['bodies', 'frames', 'ids', 'links', 'nearest', 'read', 'secrets', 'times'],
  'testing/replies': ['schema-sample'],
};
const trivial = [
  'businessCode', // looks up a code
  'apiFailure', // is apiError
  'categoryOfStatus', // looks up a status
  'isKnownCode', // looks up a code
  'typeOf', // looks at the kind of a value
  'formatServerTime', // takes a Date
  'timeOf', // takes a Date
  'usageMeter', // makes a UsageMeter
  'isCut', // looks at one word
  'contradiction', // looks at one word
  'leakedCall', // is a part of finishError
  'InBandFailure', // holds an envelope
  'unanswered', // accepts no bytes
  'refuseBareJson', // is parseJson and failureIn
  'failureOfEvent', // is failureIn
  'parseObject', // is JSON.parse
  'beginsObject', // looks at one character
  'errorField',
  'innerCode', // are parts of failureIn
  'secretsOf', // takes settings
  'cleanToken', // is cleanText
  'replyTime', // is Date.parse of one header
  'resolveSchema', // hands on; `outputFormat` has the rows
  'toReadableStream', // hands on
  'errorText', // reads one message
  'cachedShare', // is tokensOf
  'isTokenCount', // looks at four fields
  'isAbsurd', // looks at five fields
  'bytesOfBody',
  'frameBytes', // join what is there
  'utf8', // is a TextDecoder
  'endingError', // is a part of finishError
  'hasLeakedCall', // is endsWithCall
  'formOf', // is partsOf of the fake
  'parsedFile', // is readExchanges
  'nearestText', // is differences
  'hasSecret', // is withoutForms
  'plainName',
  'isCredentialHeader', // are parts of isCredentialName
  'isKeptParameter', // is isCredentialParameter
];

test('every function of the audited files is in the table or known to be trivial', async () => {
  const named = new Set([...rows, ...byLevels].map(([name]) => name));
  const paths = Object.entries(audited).flatMap(([room, files]) => files.map((file) => `../../src/${room}/${file}.ts`));
  const modules = await Promise.all(paths.map((path) => import(path) as Promise<object>));
  const exported = modules.flatMap((module) => Object.entries(module).flatMap(([name, given]) => (typeof given === 'function' ? [name] : [])));
  expect(exported.filter((name) => !named.has(name) && !trivial.includes(name))).toEqual([]);
  expect(trivial.filter((name) => !exported.includes(name) || named.has(name))).toEqual([]);
});
