/** A recursive schema. */
import { type Client, outputFormat } from 'modelsvc';
import { z } from 'zod';

interface UI {
  type: 'div' | 'button' | 'form';
  label: string;
  children: UI[];
  attributes: { name: string; value: string }[];
}
const UISchema: z.ZodType<UI> = z.lazy(() =>
  z.object({
    type: z.enum(['div', 'button', 'form']),
    label: z.string(),
    children: z.array(UISchema),
    attributes: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
);

export async function run(c: Client): Promise<void> {
  const format = outputFormat(UISchema, { name: 'ui' });
  const completion = await c.chat().create(undefined, {
    model: 'glm-5.3',
    messages: [
      { role: 'system', content: 'Convert the user input into a UI.' },
      { role: 'user', content: 'Make a User Profile Form' },
    ],
    response_format: format,
  });
  const ui = await format.parse(completion);
  console.log(ui.type, ui.children[0]?.label);
}
