/** The events of a run with tools. */
import { type Client, defineTool, toolRun } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const getWeather = defineTool({
    name: 'getWeather',
    description: 'Get the weather for a location',
    input: z.object({ location: z.string() }),
    run: async ({ location }) => {
      if (location === 'Atlantis') throw new Error('no such place');
      return { temperature: 72, location };
    },
  });
  const reply = await c.chat().runWithTools(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Weather in SF?' }] }, [getWeather], {
    onRound: ({ round, response, calls }) => {
      console.log('onStepFinish', round, response.choices[0]?.finish_reason);
      for (const call of calls) console.log('onToolExecutionStart', call.name, JSON.stringify(call.input));
    },
    onToolEnd: ({ name, text, isError, durationMs }) => console.log('onToolExecutionEnd', name, isError, durationMs >= 0, text),
  });
  console.log('onEnd', reply.choices[0]?.message.content, toolRun(reply)?.modelCalls);
}
