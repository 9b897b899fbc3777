/** Tools in a stream, with the events of the runner. */
import { type Client, defineTool, textDeltas, toolRun } from 'modelsvc';
import { z } from 'zod';

const books = [{ id: 'a1', name: 'To Kill a Mockingbird', genre: 'historical' }];

export async function run(c: Client): Promise<void> {
  const listBooks = defineTool({
    name: 'listBooks',
    description: 'List queries books by genre.',
    input: z.object({ genre: z.enum(['mystery', 'historical']) }),
    run: async ({ genre }) => books.filter((item) => item.genre === genre).map(({ name, id }) => ({ name, id })),
  });
  const getBook = defineTool({
    name: 'getBook',
    description: 'A book by its id.',
    input: z.object({ id: z.string() }),
    run: async ({ id }) => books.find((item) => item.id === id),
  });
  const stream = c.chat().streamWithTools(
    undefined,
    {
      model: 'glm-5.3',
      messages: [
        { role: 'system', content: 'Use the book database.' },
        { role: 'user', content: 'Recommend a book.' },
      ],
    },
    [listBooks, getBook],
    {
      onRound: ({ calls }) => {
        for (const call of calls) console.log('functionCall', call.name, call.arguments);
      },
      onToolEnd: ({ name, text }) => console.log('functionCallResult', name, text),
    },
  );
  for await (const diff of textDeltas(stream)) process.stdout.write(diff);
  const run = toolRun(stream);
  console.log();
  console.log(run?.transcript.length, run?.response?.choices[0]?.message.content);
}
