/** A list and a choice as structured answers. */
import { type Client, outputFormat } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const list = outputFormat(z.object({ elements: z.array(z.object({ location: z.string(), temperature: z.number() })) }));
  const first = await c
    .chat()
    .create(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Weather in SF and London?' }], response_format: list });
  for (const { location, temperature } of (await list.parse(first)).elements) console.log(location, temperature);

  const choice = outputFormat(z.object({ result: z.enum(['raincoat', 'shorts']) }));
  const second = await c
    .chat()
    .create(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'What should I wear?' }], response_format: choice });
  console.log((await choice.parse(second)).result);
}
