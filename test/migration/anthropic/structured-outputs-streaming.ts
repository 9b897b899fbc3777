/** A structured answer that is shown while it arrives. */
import { type Client, collecting, outputFormat, textDeltas } from 'modelsvc';
import { z } from 'zod';

const Weather = z.object({ city: z.string(), forecast: z.array(z.object({ day: z.string(), high: z.number() })) });

export async function run(c: Client): Promise<void> {
  const format = outputFormat(Weather);
  const stream = collecting(
    c.anthropic().stream(undefined, {
      model: 'glm-5.3',
      max_tokens: 1024,
      system: format.instructions,
      messages: [{ role: 'user', content: 'A weather report for San Francisco.' }],
    }),
  );
  for await (const text of textDeltas(stream)) process.stdout.write(text);
  const { city, forecast } = await format.parse(await stream.response());
  console.log('\nCity:', city, forecast.length);
}
