/** Rules of prose that a program can judge: house words and the length of a sentence. */
import type { Passage } from './passage.ts';

export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Words and phrases to avoid, each with the advice that goes with it. */
const avoided: readonly (readonly [RegExp, string])[] = [
  [/\b(nobody|nothing|anybody|everybody)\b/gi, 'state the condition'],
  [/\b(says|tells|knows)\b/gi, 'things are, return, contain or list'],
  [/\b(is|are|was|were) told\b/gi, 'use "receives" or "gets"'],
  [/\bstands?\b/gi, 'use "is"'],
  [/\bmend(s|ed|ing)?\b/gi, 'use "fix" or "repair"'],
  [/\bwhole (answer|reply|response|message|request)s?\b/gi, 'use "complete"'],
  [/\b(is|are|be|not) whole\b/gi, 'use "complete"'],
  [/\bwhole numbers?\b/gi, 'use "integer"'],
  [/\b(each|every one) for itself\b/gi, 'use "separate"'],
  [/\bbeside\b/gi, 'use "next to", "together with" or "as well as"'],
  [/\bin place of\b/gi, 'use "instead of"'],
  [/\banew\b/gi, 'use "again" or "from scratch"'],
  [/\bof ours\b/gi, 'name the thing'],
  [/\b(he|she|him|his|her|hers)\b/gi, 'use "they" or "the caller"'],
  [/\b(TODO|FIXME|XXX)\b/g, 'open an issue'],
  [/\b(\w*(?:behaviour|colour|favour|honour|neighbour|labour)\w*)\b/gi, 'US spelling: -or'],
  [
    /\b((?:initial|normal|serial|recogn|organ|optim|summar|real|final|general|special|minim|maxim|synchron|token|sanit|author|util|custom|visual|memo|material|emphas|priorit)is(?:e|es|ed|er|ers|ing|ation|ations))\b/gi,
    'US spelling: -ize',
  ],
  [/\b((?:cancel|label|model|signal|travel|tunnel|marshal)l(?:ed|ing|er))\b/gi, 'US spelling: one l'],
  [/\b(analys(?:e|es|ed|ing)|licence|defence|centre|fibre|grey|artefacts?|whilst|amongst|learnt|spelt)\b/gi, 'US spelling'],
  [/\bin (?:its|their) place\b/gi, 'use "instead"'],
  [/(?<!\bleaves? )\bbehind\b(?! (?:a|the|your) (?:\w+ )?(?:proxy|gateway)\b)/gi, 'use "after"'],
  [/\b(?:that|those) of\b(?! which)/gi, 'repeat the noun'],
  [/\b(?<!there )(?:is|are|was|were) no\b(?! longer\b| more\b)/gi, 'use "is not a", or what it is'],
  [/\b(?<!there )(?:is|are|was|were) none\b/gi, 'use "is not one", "no limit", or what is missing'],
  [/\bof yours\b/gi, 'use "your"'],
  [/\bonce so (?:much|long)\b/gi, 'use "up to" or "this amount"'],
  [/\b(?:is|are|was|were) asked (?:again|for a)\b|\basks the (?:service|model)\b(?! to\b)/gi, 'use "send a request to" or "call"'],
  [/\bpages? that (?:left|leaves?)\b/gi, 'use "the page was closed"'],
];

/** Sentences of a page have about 15 words on average, and none is longer than this. */
const wordsOfASentenceOfAPage = 40;
const meanOfAPage = 16;
/** Uses of "has" and "have" as a main verb, for each 1,000 words of a page. A short page may have three. */
const possessions = 6;

const wordsOfASentence = 25;
/** A sentence that carries code or a list may be a little longer. */
const wordsWithCodeOrList = 30;

export function problemsOf(passage: Passage): Problem[] {
  return [...wordProblems(passage), ...sentenceProblems(passage)].sort((a, b) => a.line - b.line);
}

/** Problems of a page as a whole: the mean of its sentences, and "has" for every relation. */
export function problemsOfPage(passages: readonly Passage[]): Problem[] {
  const page = passages.filter(({ kind }) => kind === 'page' || kind === 'table');
  const [first] = page;
  if (!first) return [];
  const lengths = page
    .filter(({ kind }) => kind === 'page')
    .flatMap(({ text }) => sentencesOf(text))
    .map(({ text }) => wordsOf(text))
    .filter((count) => count > 4);
  const mean = lengths.reduce((sum, count) => sum + count, 0) / lengths.length;
  const text = page.map((one) => one.text).join(' ');
  const has = [...text.matchAll(/\b(?:has|have)\b(?! (?:to|been|already|not|just|since|no|\w+(?:ed|en|un|own|one|ent|ead|ade|ad|ome|eft))\b)/gi)]
    .length;
  const most = Math.max(3, (wordsOf(text) * possessions) / 1000);
  return [
    ...(mean > meanOfAPage ? [{ file: first.file, line: 1, text: `sentences of ${mean.toFixed(1)} words on average (at most ${meanOfAPage})` }] : []),
    ...(has > most
      ? [{ file: first.file, line: 1, text: `"has" ${has} times (at most ${most.toFixed()}): use contains, includes, returns, keeps` }]
      : []),
  ];
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word)).length;
}

function wordProblems(passage: Passage): Problem[] {
  const text = passage.text.replaceAll('\n', ' ');
  return avoided.flatMap(([pattern, advice]) =>
    [...text.matchAll(pattern)].map((match) => problemAt(passage, match.index, `"${match[0]}": ${advice}`)),
  );
}

function sentenceProblems(passage: Passage): Problem[] {
  return sentencesOf(passage.text).flatMap(({ at, text }) => {
    const found: Problem[] = [];
    const [opening] = /^(What|Whatever|Whoever)\b/.exec(text) ?? [];
    if (opening !== undefined && !text.endsWith('?'))
      found.push(problemAt(passage, at, `a sentence begins with "${opening}": begin with a noun or a verb`));
    const words = wordsOf(text);
    const mostElsewhere = text.includes('`') || isList(text) ? wordsWithCodeOrList : wordsOfASentence;
    const most = passage.kind === undefined ? mostElsewhere : wordsOfASentenceOfAPage;
    if (words > most)
      found.push(problemAt(passage, at, `a sentence of ${words} words (at most ${most}): ${text.slice(0, 60).replaceAll('\n', ' ')}…`));
    return found;
  });
}

function isList(text: string): boolean {
  return text.split(/[,:]\s/).length > 3;
}

/** Sentences with their place in the text. A heading, a list item and a table cell are passages of their own. */
export function sentencesOf(text: string): { at: number; text: string }[] {
  const sentences: { at: number; text: string }[] = [];
  let from = 0;
  for (const { index, 0: gap } of text.matchAll(/(?<=(?<!\b(?:e\.g|i\.e|vs|etc))[.!?]["')\]]*)\s+(?=["'([]?[\p{Lu}\p{N}`])/gu)) {
    sentences.push({ at: from, text: text.slice(from, index) });
    from = index + gap.length;
  }
  sentences.push({ at: from, text: text.slice(from).trimEnd() });
  return sentences.filter((one) => one.text !== '');
}

function problemAt({ file, line, text }: Passage, at: number, problem: string): Problem {
  return { file, line: line + text.slice(0, at).split('\n').length - 1, text: problem };
}
