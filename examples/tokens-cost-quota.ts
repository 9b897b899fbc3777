/**
 * Count tokens before and after calls, estimate their cost, and read the limits of the plan.
 *
 *     SVC_API_KEY=... npx tsx tokens-cost-quota.ts
 */
import { estimateCost, type Message, newClient, usageMeter } from 'modelsvc';
import { quotaWindow } from 'modelsvc/monitor';

const meter = usageMeter();
const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  hooks: [meter],
});
const model = 'glm-5.3';
const messages: Message[] = [
  { role: 'user', content: 'Write a haiku about rain.' },
];

// Counted by the service. The count is a billed call of its own. No tokenizer of a later model is documented.
const counted = await c.tools().tokenize({ model: 'glm-4.6', messages });
console.log(`prompt: ${counted.usage.prompt_tokens} tokens`);

const reply = await c.chat().create({
  model,
  effort: 'low',
  messages,
  max_tokens: 200,
});
// List price. Undefined if the price of the model is unknown, and without meaning for a key on a plan.
const dollars = estimateCost(model, reply.usage ?? {});
console.log(
  `call: ${reply.usage?.total_tokens} tokens, ${dollars === undefined ? 'unknown cost' : `$${dollars.toFixed(6)}`}`,
);

// The meter adds up the model calls of the client, streams included.
const { all } = meter.totals();
console.log(
  `all model calls: ${all.inputTokens} input tokens, ${all.outputTokens} output tokens`,
);

// Free. `limits` is empty for a key without a plan.
const { limits } = await c.quota().getLimit();
for (const limit of limits) {
  const { name, usedFraction, resetsAt } = quotaWindow(limit);
  const used =
    usedFraction === undefined
      ? 'unknown use'
      : `${Math.round(usedFraction * 100)} % used`;
  console.log(
    `${name}: ${used}, ${resetsAt ? `resets at ${resetsAt.toISOString()}` : 'not started'}`,
  );
}
