// Refusals by the model: a refused request is free.
import type { Claim } from 'modelsvc/evidence.json';
import { fields, items } from '../reply.ts';
import { answersWithCode, refusedAsClaimed, refusedWord, takenWord } from './judges.ts';
import { type ClaimProbe, type ClaimSource, chatPath, hello, holds, type Judge, planOnly, responsesPath, rowOf } from './probe.ts';

const anyTool = { type: 'function', function: { name: 'now', description: 'The time', parameters: { type: 'object', properties: {} } } };

/** Refusals of one request each. */
export function refusalProbes(source: ClaimSource): ClaimProbe[] {
  return source.matching(/^refusal:.+\.([a-z_]+)$/).flatMap(({ claim, parts: [name = ''] }) => {
    const row = rowOf(claim);
    if (row === undefined) return [];
    const model = row.id;
    if (name === 'tool_choice') return [toolChoice(claim, model)];
    if (name === 'plan') return [outsidePlan(claim, model)];
    if (name === 'max_tokens') return tooMany(source, claim, model);
    return [];
  });
}

/** Words of effort: many requests for few claims. */
export function effortProbes(source: ClaimSource): ClaimProbe[] {
  return source.matching(/^refusal:.+\.effort@(platform|responses)$/).flatMap(({ claim, parts: [root] }) => {
    const model = rowOf(claim)?.id;
    return model === undefined ? [] : efforts(source, claim, model, root === 'responses' ? root : 'platform');
  });
}

function toolChoice(claim: Claim, model: string): ClaimProbe {
  return {
    name: `chat tool_choice ${model}`,
    method: 'POST',
    template: chatPath,
    body: { model, messages: hello, max_tokens: 1, tools: [anyTool], tool_choice: 'required' },
    work: { model, output: 1 },
    judges: [{ claim, judge: refusedAsClaimed(claim) }],
  };
}

function outsidePlan(claim: Claim, model: string): ClaimProbe {
  return {
    name: `coding ${model}`,
    method: 'POST',
    template: chatPath,
    body: { model, messages: hello, max_tokens: 1 },
    keys: planOnly,
    work: { model, output: 1 },
    judges: [{ claim, judge: refusedAsClaimed(claim) }],
  };
}

/** The refusal contains the legal range, so that one request finds a limit that is lower or higher. */
function tooMany(source: ClaimSource, claim: Claim, model: string): ClaimProbe[] {
  const { allowed, code } = fields(claim.value);
  const limit = source.claims.get(`limit:${model}.max_output_tokens`);
  // A page may have another size than the service enforces.
  const stated = limit === undefined || limit.disputed !== undefined ? undefined : Number(limit.value);
  const probe = (most: number, judges: ClaimProbe['judges']): ClaimProbe => ({
    name: `chat max_tokens ${model} ${most}`,
    method: 'POST',
    template: chatPath,
    body: { model, messages: hello, max_tokens: most + 1 },
    work: { model, output: most + 1 },
    judges,
  });
  const most = Number(allowed);
  const own = { claim, judge: ranged(claim, most) };
  const codes = source.judged([`code:${String(code)}`, answersWithCode([String(code)])]);
  if (limit === undefined || stated === undefined) return [probe(most, [own, ...codes])];
  const size = { claim: limit, judge: ranged(claim, stated) };
  return stated === most ? [probe(most, [own, size, ...codes])] : [probe(most, [own, ...codes]), probe(stated, [size])];
}

function ranged(claim: Claim, most: number): Judge {
  return (reply, words) => {
    const refused = refusedAsClaimed(claim)(reply, words);
    if (refused.verdict !== 'holds') return refused;
    const { error } = fields(reply.body);
    const text = fields(error)['message'];
    const found = typeof text === 'string' ? /\[\s*\d{1,3}\s*,\s*(\d{1,9})\s*\]/.exec(text.slice(0, 2000))?.[1] : undefined;
    if (found === undefined || Number(found) === most) return holds;
    return { verdict: 'differs', expected: most, seen: Number(found) };
  };
}

/** Every word of effort is sent: those of the model must be accepted, the others refused. */
function efforts(source: ClaimSource, claim: Claim, model: string, root: 'platform' | 'responses'): ClaimProbe[] {
  const legal = items(fields(claim.value)['allowed']);
  const column = source.claims.get(`model:${model}.effort`);
  const own = items(column?.value);
  const all = [...new Set([...items(source.value('enum:ChatRequest.reasoning_effort')), ...legal, ...own])].filter(
    (word) => typeof word === 'string',
  );
  return all.map((word) => {
    const judges = [
      { claim, isPart: true, judge: legal.includes(word) ? takenWord(claim, word) : refusedFor(claim, word) },
      ...(column === undefined
        ? []
        : [{ claim: column, isPart: true, judge: own.includes(word) ? takenWord(column, word) : refusedWord(column, word) }]),
    ];
    const base = { method: 'POST', work: { model, output: 1 }, judges };
    if (root === 'platform')
      return {
        ...base,
        name: `chat effort ${model} ${word}`,
        template: chatPath,
        body: { model, messages: hello, max_tokens: 1, reasoning_effort: word },
      };
    const body = { model, input: 'Hi', max_output_tokens: 1, reasoning: { effort: word } };
    return { ...base, name: `responses effort ${model} ${word}`, template: responsesPath, keys: ['payg', 'plan'] as const, body };
  });
}

/** A word that is not allowed is refused, with the status and the code of the claim. */
function refusedFor(claim: Claim, word: string): Judge {
  return (reply, words) => {
    const refused = refusedWord(claim, word)(reply, words);
    return refused.verdict === 'holds' ? refusedAsClaimed(claim)(reply, words) : refused;
  };
}
