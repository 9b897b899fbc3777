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
];

const wordsOfASentence = 25;
/** A sentence that carries code or a list may be a little longer. */
const wordsWithCodeOrList = 30;

export function problemsOf(passage: Passage): Problem[] {
  return [...wordProblems(passage), ...sentenceProblems(passage)].sort((a, b) => a.line - b.line);
}

function wordProblems(passage: Passage): Problem[] {
  return avoided.flatMap(([pattern, advice]) =>
    [...passage.text.matchAll(pattern)].map((match) => problemAt(passage, match.index, `"${match[0]}": ${advice}`)),
  );
}

function sentenceProblems(passage: Passage): Problem[] {
  return sentencesOf(passage.text).flatMap(({ at, text }) => {
    const found: Problem[] = [];
    const [opening] = /^(What|Whatever|Whoever)\b/.exec(text) ?? [];
    if (opening !== undefined && !text.endsWith('?'))
      found.push(problemAt(passage, at, `a sentence begins with "${opening}": begin with a noun or a verb`));
    const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word)).length;
    const most = text.includes('`') || isList(text) ? wordsWithCodeOrList : wordsOfASentence;
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
