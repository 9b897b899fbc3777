// Each chat model by one call: that it exists, and whether its thinking can be switched off.
import type { Claim } from 'modelsvc/evidence.json';
import { isRefused, isSuccess, valuesAt } from './judges.ts';
import { type ClaimProbe, type ClaimSource, chatPath, hello, holds, type Judge, planOnly, rowOf, unreachable } from './probe.ts';
import { isListed } from './talk.ts';

export function modelProbes(source: ClaimSource): ClaimProbe[] {
  return source.chatModels.flatMap((model) => {
    const claim = source.claims.get(`model:${model}`);
    const thinking = source.claims.get(`model:${model}.thinking`);
    const isAsked = claim !== undefined && !isListed(claim.source);
    const isSwitched = thinking?.value === 'always' || thinking?.value === 'switchable';
    if (!isAsked && !isSwitched) return [];
    const probe: ClaimProbe = {
      name: `chat model ${model}`,
      method: 'POST',
      template: chatPath,
      body: { model, messages: hello, max_tokens: 1, ...(isSwitched && { thinking: { type: 'disabled' } }) },
      work: { model, output: 1 },
      judges: [...(isAsked ? [{ claim, judge: exists }] : []), ...(isSwitched && thinking ? [{ claim: thinking, judge: switched(thinking) }] : [])],
    };
    return [probe];
  });
}

const exists: Judge = (reply, words) => {
  if (isSuccess(reply) || isRefused(reply)) return holds;
  return { verdict: 'differs', expected: 'a known model', seen: words.failure(reply) };
};

/** The request switches thinking off. A refusal shows that the model always thinks; one token of an answer shows only a thought. */
function switched({ value }: Claim): Judge {
  return (reply, words) => {
    const thought = valuesAt(reply.body, ['choices[]', 'message', 'reasoning_content']).some((text) => typeof text === 'string' && text !== '');
    const isAlways = isRefused(reply) || (isSuccess(reply) && thought);
    if (!isSuccess(reply) && !isRefused(reply)) return unreachable(`the service answers with ${words.failure(reply)}`);
    if (isAlways)
      return value === 'always'
        ? holds
        : { verdict: 'differs', expected: value, seen: isRefused(reply) ? `off: ${words.failure(reply)}` : 'a thought' };
    return value === 'always' ? unreachable('the service accepts the request, and the reply shows no thought') : holds;
  };
}

/** The coding root answers with the model of the plan. */
export function planModelProbes(source: ClaimSource): ClaimProbe[] {
  return source.matching(/^model:.+\.plan_model$/).flatMap(({ claim }) => {
    const model = rowOf(claim)?.id;
    if (model === undefined) return [];
    const judge: Judge = (reply, words) => {
      const [found] = valuesAt(reply.body, ['model']);
      if (!isSuccess(reply)) return { verdict: 'differs', expected: claim.value, seen: words.failure(reply) };
      return found === claim.value ? holds : { verdict: 'differs', expected: claim.value, seen: words.shown(found) };
    };
    const body = { model, messages: hello, max_tokens: 1 };
    return [
      {
        name: `coding model ${model}`,
        method: 'POST',
        template: chatPath,
        body,
        keys: planOnly,
        work: { model, output: 1 },
        judges: [{ claim, judge }],
      },
    ];
  });
}
