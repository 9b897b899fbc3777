/** A conversation over Responses that the program keeps. */
import type { Client, ResponsesInputItem } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const input: ResponsesInputItem[] = [{ role: 'user', content: 'Write a short Python prime checker.' }];
  const response = await c.responses().create(undefined, { model: 'glm-5.3', input, reasoning: { effort: 'high' } });
  console.log(response.text());
  input.push(...response.output);
  input.push({ role: 'user', content: 'Add type hints.' });
  const followup = await c.responses().create(undefined, { model: 'glm-5.3', input, reasoning: { effort: 'high' } });
  console.log(followup.text());
}
