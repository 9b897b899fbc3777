import { withoutSecrets } from '../../../src/overlay/errors/without-secrets.ts';
import { credentialsIn, isCredentialName, isCredentialParameter, isHarmlessHeader } from '../../../src/overlay/secrets/credential-names.ts';
import { keyHoles, withoutKeys } from '../../../src/overlay/secrets/key-shapes.ts';
import { filled, formHoles, formsOf } from '../../../src/overlay/secrets/secrets.ts';
import { withoutTextSecrets } from '../../../src/overlay/secrets/secrets-in-text.ts';
import { bodyOf } from '../../../src/testing/exchanges/bodies.ts';
import { framesOfBlocks, isLast } from '../../../src/testing/exchanges/frames.ts';
import { IdNames, idsByAppearance, isGenerated } from '../../../src/testing/exchanges/ids.ts';
import { withoutLinkSecrets } from '../../../src/testing/exchanges/links.ts';
import { differences } from '../../../src/testing/exchanges/nearest.ts';
import { readExchanges } from '../../../src/testing/exchanges/read.ts';
import { redactExchange } from '../../../src/testing/exchanges/redact.ts';
import { keyIn } from '../../../src/testing/exchanges/secrets.ts';
import { sameButTimes } from '../../../src/testing/exchanges/times.ts';
import { writeExchanges } from '../../../src/testing/exchanges/write.ts';
import type { Json, RecordedExchange, RedactionProfile } from '../../../src/testing/index.ts';
import { fields, list, nested } from './inputs.ts';
import { quietly, type Row, text, value } from './row.ts';

const hex = '0123456789abcdef'.repeat(2);

/** Texts whose beginnings look like keys again and again. */
const keyLike: Readonly<Record<string, (n: number) => string>> = {
  'beginnings of PEM blocks': (n) => '-----BEGIN A-----'.repeat(n),
  'beginnings of tokens': (n) => 'eyJ'.repeat(n),
  'parts of tokens': (n) => 'eyJaaaaaa.'.repeat(n),
  'hex digits': (n) => `${'a'.repeat(n)}.`,
  'keys of the service': (n) => `${hex}.${hex}`.repeat(n),
  'short secret keys': (n) => 'sk-'.repeat(n),
  'a bearer without a token': (n) => `bearer${' '.repeat(n)}`,
  'bearers without tokens': (n) => 'bearer '.repeat(n),
  'beginnings of tokens of hosts': (n) => 'ghp_github_pat_xox'.repeat(n),
};

const keyRows = Object.entries(keyLike).flatMap(([input, of]): Row[] => [
  ['withoutKeys', input, text(of).through((given) => withoutKeys(given, ['own-secret'], '[key]'))],
  ['keyHoles', input, text(of).through((given) => keyHoles(given, ['own-secret']))],
  ['withoutSecrets', input, text(of).through((given) => withoutSecrets({ a: [given] }, ['own-secret']))],
  ['keyIn', input, text(of).through(keyIn)],
]);

/** Texts that are links again and again. */
const linkLike: Readonly<Record<string, (n: number) => string>> = {
  'beginnings of links': (n) => 'http://'.repeat(n),
  'a link with many parameters': (n) => `http://a/?${'b=c&'.repeat(n)}`,
  'a link with closing brackets': (n) => `http://a/?b=${')'.repeat(n)}c`,
  'links with signatures': (n) => list(n, (index) => `https://a.example/b?sig=a${index}b${index}`).join(' '),
  'a long user': (n) => `http://${':'.repeat(n)}`,
};
const linkRows = Object.entries(linkLike).map(
  ([input, of]): Row => ['withoutLinkSecrets', input, text(of).through((given) => withoutLinkSecrets(given, () => undefined))],
);

/** JSON in a text, and what looks like its levels. */
const jsonLike: Readonly<Record<string, (n: number) => string>> = {
  quotes: (n) => '"'.repeat(n),
  'quotes with backslashes': (n) => '\\"'.repeat(n),
  backslashes: (n) => '\\'.repeat(n),
  'escaped backslashes': (n) => `\\${'u005c'.repeat(n)}`,
  colons: (n) => '":'.repeat(n),
  'blanks around a colon': (n) => `"a"${' '.repeat(n)}:`,
  'fields with secrets': (n) => '"password":"a",'.repeat(n),
  brackets: (n) => '['.repeat(n),
};

const nameRows: readonly Row[] = [
  ['isCredentialName', 'marks', text((n) => '-'.repeat(n)).through(isCredentialName)],
  ['isCredentialName', 'stems', text((n) => 'secretar'.repeat(n)).through(isCredentialName)],
  ['isCredentialParameter', 'keys', text((n) => 'keyid'.repeat(n)).through(isCredentialParameter)],
  ['isHarmlessHeader', 'beginnings', text((n) => 'x-client-'.repeat(n)).through(isHarmlessHeader)],
  ['credentialsIn', 'marks', text((n) => ' ;,='.repeat(n)).through((authorization) => credentialsIn({ authorization }))],
  ['credentialsIn', 'cookies', text((n) => 'a=%41; '.repeat(n)).through((cookie) => credentialsIn({ cookie }))],
  ['formHoles', 'overlapping secrets', text((n) => 'a'.repeat(n)).through((given) => formHoles(given, ['a'.repeat(16), 'a'.repeat(9)]))],
  [
    'filled',
    'overlapping holes',
    value((n) => ['a'.repeat(n), list(n, (at) => [at, at + 2] as const)] as const).through(([given, holes]) => filled(given, holes, () => '')),
  ],
  ...Object.entries(jsonLike).map(
    ([input, of]): Row => ['withoutTextSecrets', input, text(of).through((given) => withoutTextSecrets(given, [], '[key]'))],
  ),
];

function exchangeOf(body: Json, frames?: string): RecordedExchange {
  const request = { method: 'POST', host: 'a', path: '/', headers: { authorization: 'Bearer own-secret-value' }, body };
  const response = {
    status: 200,
    headers: {},
    ...(frames === undefined ? { body } : { frames: [{ after: 0, raw: frames }], count: 1, end: 'closed' as const }),
  };
  return { request, response };
}

const bodies: Readonly<Record<string, (n: number) => Json>> = {
  fields: (n) => fields(n, () => 'text') as Json,
  'names that become one': (n) => fields(n, () => 1) as Json,
  ids: (n) => list(n, (index) => ({ id: `id_${index}_0123456789abcdef` })),
  'texts that begin like JSON': (n) => list(n, () => '{"a":'),
  'one text that begins like JSON': (n) => '['.repeat(n),
  'JSON in a text': (n) => JSON.stringify(list(n, () => 'a')),
  'links with signatures': linkLike['links with signatures'] as (n: number) => Json,
  'fields with secrets': (n) => list(n, (index) => ({ token: `a${index}-own-value` })),
  'the secret again and again': (n) => 'own-secret-value'.repeat(n),
  'JSON in JSON': (n) => nested(Math.min(10, Math.log2(n)), (inner) => JSON.stringify([inner]), 'x'.repeat(n)) as Json,
};

const profiles: readonly RedactionProfile[] = ['cassette', 'bundle'];

const redactRows = Object.entries(bodies).flatMap(([input, of]) =>
  profiles.map(
    (profile): Row => [
      'redactExchange',
      `${input}, as a ${profile}`,
      value((n) => exchangeOf(of(n))).through((exchange) => quietly(() => redactExchange(exchange, { profile }))),
    ],
  ),
);

const blocksOf = (blocks: readonly string[]): { bytes: Uint8Array; at: number }[] =>
  blocks.map((block) => ({ bytes: new TextEncoder().encode(block), at: 0 }));

export const exchangeRows: readonly Row[] = [
  ...keyRows,
  ...linkRows,
  ...nameRows,
  ...redactRows,
  ['redactExchange', 'lines of a frame', value((n) => exchangeOf(null, 'data: {"a":\n'.repeat(n))).through(redactExchange)],
  ['formsOf', 'quotes', text((n) => 'abcdefg"'.repeat(n)).through((given) => formsOf([given]).length)],
  ['framesOfBlocks', 'line breaks', value((n) => blocksOf(['\n'.repeat(n)])).through((blocks) => framesOfBlocks(blocks, 0))],
  ['framesOfBlocks', 'small blocks of one frame', value((n) => blocksOf(list(n, () => 'data: a'))).through((blocks) => framesOfBlocks(blocks, 0))],
  ['framesOfBlocks', 'lines of data', value((n) => blocksOf(['data: a\n'.repeat(n)])).through((blocks) => framesOfBlocks(blocks, 0))],
  ['framesOfBlocks', 'carriage returns', value((n) => blocksOf(['a\r\n\r'.repeat(n)])).through((blocks) => framesOfBlocks(blocks, 0))],
  ['isLast', 'types', text((n) => '"type": "type": '.repeat(n)).through((data) => isLast({ after: 0, data }))],
  ['bodyOf', 'quotes', text((n) => '"\\'.repeat(n)).through((given) => bodyOf(new TextEncoder().encode(given), 'application/json'))],
  ['bodyOf', 'digits', text((n) => `[${'1'.repeat(n)}]`).through((given) => bodyOf(new TextEncoder().encode(given), 'application/json'))],
  ['isGenerated', 'separators', text((n) => `a-1${'-'.repeat(n)}`).through(isGenerated)],
  [
    'IdNames',
    'ids in a text',
    value((n) => {
      const names = new IdNames();
      const ids = list(n, (index) => `id_${index}_0123456789abcdef`);
      names.add(ids, null);
      return { names, text: ids.join(' ') };
    }).through(({ names, text: given }) => names.known(given)),
  ],
  [
    'differences',
    'fields',
    value((n) => [fields(n, () => 'a'), fields(n, () => 'b')] as const).through(([a, b]) => differences(a as Json, b as Json)),
  ],
  ['differences', 'texts that end differently', value((n) => ['x'.repeat(n), `${'x'.repeat(n)}y`] as const).through(([a, b]) => differences(a, b))],
  ['idsByAppearance', 'ids', text((n) => list(n, (index) => `call_0123abcd_${index}`).join(' ')).through(idsByAppearance)],
  ['readExchanges', 'what is no file', text((n) => '{"a":'.repeat(n)).through(readExchanges)],
  ['readExchanges', 'line breaks before a fault', text((n) => `{${'\n'.repeat(n)}x`).through(readExchanges)],
  ['readExchanges', 'fields with a long name above', text((n) => JSON.stringify({ ['a'.repeat(n)]: list(n, () => 1) })).through(readExchanges)],
  [
    'writeExchanges',
    'fields',
    value((n) => ({
      exchanges: [
        { request: { ...exchangeOf(null).request, headers: {}, body: fields(n, () => 'a') as Json }, response: { status: 200, headers: {} } },
      ],
    })).through(writeExchanges),
  ],
  ['sameButTimes', 'fields', value((n) => exchangeOf(fields(n, () => 'a') as Json)).through((one) => sameButTimes(one, one))],
];
