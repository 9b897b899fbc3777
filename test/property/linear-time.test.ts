import { describe, expect, test } from 'vitest';
import * as mcp from '../../src/mcp/index.ts';
import * as mcpText from '../../src/mcp/result-text.ts';
import * as jsonl from '../../src/overlay/batch/jsonl.ts';
import * as batchOutput from '../../src/overlay/batch/output.ts';
import * as retry from '../../src/overlay/call/attempt/retry.ts';
import * as failure from '../../src/overlay/errors/failure.ts';
import * as serverTime from '../../src/overlay/errors/server-time.ts';
import * as withoutSecrets from '../../src/overlay/errors/without-secrets.ts';
import * as repair from '../../src/overlay/json/argument-repair.ts';
import * as exact from '../../src/overlay/json/exact.ts';
import * as growingJson from '../../src/overlay/json/growing-json.ts';
import * as jsonInText from '../../src/overlay/json/json-in-text.ts';
import * as schemaDocument from '../../src/overlay/json/schema-document.ts';
import * as quotaWindows from '../../src/overlay/monitor/quota-windows.ts';
import * as tokens from '../../src/overlay/monitor/tokens.ts';
import * as usageBuckets from '../../src/overlay/monitor/usage-buckets.ts';
import * as usageMeter from '../../src/overlay/monitor/usage-meter.ts';
import * as clean from '../../src/overlay/secrets/clean.ts';
import * as credentialNames from '../../src/overlay/secrets/credential-names.ts';
import * as keyShapes from '../../src/overlay/secrets/key-shapes.ts';
import * as secrets from '../../src/overlay/secrets/secrets.ts';
import * as secretsInText from '../../src/overlay/secrets/secrets-in-text.ts';
import * as chatAssembly from '../../src/overlay/streams/chat-accumulator.ts';
import * as streamHelpers from '../../src/overlay/streams/helpers.ts';
import * as messageAssembly from '../../src/overlay/streams/messages-accumulator.ts';
import * as responseAssembly from '../../src/overlay/streams/responses-accumulator.ts';
import * as speech from '../../src/overlay/streams/speech-bytes.ts';
import * as toolCalls from '../../src/overlay/streams/tool-calls.ts';
import * as answers from '../../src/overlay/surfaces/answer-of.ts';
import * as cutHeads from '../../src/overlay/surfaces/chat/cut-heads.ts';
import * as chatProtocol from '../../src/overlay/surfaces/chat/protocol.ts';
import * as finish from '../../src/overlay/surfaces/finish.ts';
import * as leakedCall from '../../src/overlay/surfaces/leaked-call.ts';
import * as inputText from '../../src/overlay/surfaces/messages/input-text.ts';
import * as messagesProtocol from '../../src/overlay/surfaces/messages/protocol.ts';
import * as protocol from '../../src/overlay/surfaces/protocol.ts';
import * as responsesProtocol from '../../src/overlay/surfaces/responses/protocol.ts';
import { sanitizeToolSchemas } from '../../src/overlay/tool-schema/index.ts';
import * as mending from '../../src/overlay/tools/argument-mending.ts';
import * as schemaCheck from '../../src/overlay/tools/schema-check.ts';
import * as standardSchema from '../../src/overlay/tools/standard-schema.ts';
import * as structured from '../../src/overlay/tools/structured-output.ts';
import * as typedTool from '../../src/overlay/tools/typed-tool.ts';
import * as usage from '../../src/overlay/tools/usage.ts';
import * as exchangeBodies from '../../src/testing/exchanges/bodies.ts';
import * as exchangeFrames from '../../src/testing/exchanges/frames.ts';
import * as exchangeIds from '../../src/testing/exchanges/ids.ts';
import * as exchangeLinks from '../../src/testing/exchanges/links.ts';
import * as nearest from '../../src/testing/exchanges/nearest.ts';
import * as exchangeReader from '../../src/testing/exchanges/read.ts';
import * as exchangeSecrets from '../../src/testing/exchanges/secrets.ts';
import * as exchangeTimes from '../../src/testing/exchanges/times.ts';
import * as schemaSample from '../../src/testing/replies/schema-sample.ts';
import { argumentRows, byLevels } from './linear-time/arguments.ts';
import { exchangeRows } from './linear-time/exchanges.ts';
import { expectLinear, sizesUpTo } from './linear-time/growth.ts';
import { replyRows } from './linear-time/replies.ts';
import { hostileSchemas } from './linear-time/schemas.ts';
import { streamRows } from './linear-time/streams.ts';

const rows = [...argumentRows, ...streamRows, ...replyRows, ...exchangeRows];

describe('work on foreign text grows no faster than the text', () => {
  test.each(rows)('%s: %s', (_, __, workOf) => expectLinear(workOf, sizesUpTo(64_000)));
  test.each(byLevels)('%s: %s', (_, __, workOf) => expectLinear(workOf, [8, 12, 16, 20, 24, 28]));
});

describe('rewriting a tool schema takes no longer than its size', () => {
  test.each(Object.entries(hostileSchemas))('%s', async (_, schemaOf) => {
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

/** Files whose every function is in the table, but for those that look at one word or number, or only hand on. */
const audited = [
  mcp,
  mcpText,
  chatAssembly,
  messageAssembly,
  responseAssembly,
  toolCalls,
  mending,
  answers,
  inputText,
  exact,
  growingJson,
  repair,
  jsonInText,
  schemaDocument,
  batchOutput,
  failure,
  finish,
  leakedCall,
  jsonl,
  quotaWindows,
  serverTime,
  tokens,
  usageBuckets,
  usageMeter,
  cutHeads,
  chatProtocol,
  messagesProtocol,
  protocol,
  responsesProtocol,
  retry,
  schemaCheck,
  clean,
  speech,
  standardSchema,
  streamHelpers,
  structured,
  usage,
  typedTool,
  exchangeBodies,
  exchangeFrames,
  exchangeIds,
  exchangeLinks,
  credentialNames,
  keyShapes,
  secrets,
  secretsInText,
  withoutSecrets,
  nearest,
  exchangeReader,
  exchangeSecrets,
  exchangeTimes,
  schemaSample,
];
const trivial = [
  'isOverload', // looks at a code and a status
  'creditNumber', // is Number
  'businessCode', // looks up a code
  'reasonAgainstRepeating', // looks at a phase
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
  'unanswered', // takes nothing
  'refuseBareJson', // is parseJson and failureIn
  'failureOfEvent', // is failureIn
  'parseObject', // is JSON.parse
  'beginsObject', // looks at one character
  'collectChat',
  'collectMessage',
  'collectResponse', // hand on to the accumulators
  'errorField', // is a part of failureIn
  'secretsOf', // takes settings
  'cleanToken', // is cleanText
  'Retries', // take settings and numbers
  'resolveSchema', // hands on; `responseFormat` has the rows
  'toReadableStream', // hands on
  'errorText', // reads one message
  'chatTool',
  'anthropicTool',
  'responsesTool', // hand on
  'cachedShare', // is tokensOf
  'isTokenCount', // looks at four fields
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

test('every function of the audited files is in the table or known to be trivial', () => {
  const named = new Set([...rows, ...byLevels].map(([name]) => name));
  const exported = audited.flatMap((module) => Object.entries(module).flatMap(([name, given]) => (typeof given === 'function' ? [name] : [])));
  expect(exported.filter((name) => !named.has(name) && !trivial.includes(name))).toEqual([]);
  expect(trivial.filter((name) => !exported.includes(name) || named.has(name))).toEqual([]);
});
