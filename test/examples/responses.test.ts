import { describe, expect } from 'vitest';
import { faults } from '../../src/testing/index.ts';
import { test as it } from '../support/fixture.ts';
import { bodiesOf, builtExamples, ended, outcome } from './run.ts';

const start = builtExamples();

describe('responses-stream', () => {
  it('prints the answer, its status and its tokens', async ({ fake }) => {
    fake.responses.stream(['Rain', ' falls', '.'], { usage: { input: 9, output: 3 } });
    expect(await outcome(start('responses-stream', fake, { args: ['Rain?'] }))).toEqual(ended('Rain falls.\ncompleted: 3 tokens\n'));
    expect(bodiesOf(fake)).toMatchObject([{ input: 'Rain?', stream: true, reasoning: { effort: 'low' } }]);
  });

  it('reports an answer that was cut off at a limit', async ({ fake }) => {
    fake.responses.stream(['Rain'], { finish: 'length', usage: { input: 9, output: 1 } });
    expect(await outcome(start('responses-stream', fake))).toEqual(ended('Rain\nincomplete: 1 tokens\nmax_output_tokens\n'));
  });

  it('reports a stream that is cut off, after its text', async ({ fake }) => {
    fake.answer('responses.create', { ...faults.truncatedStream(), reply: { turn: { text: ['Rain', ' falls'] } } });
    const { stderr, ...rest } = await outcome(start('responses-stream', fake));
    expect(rest).toEqual({ code: 1, stdout: 'Rain falls' });
    expect(stderr).toMatch(/^\nresponses\.stream: the stream was cut off after \d+ events, before its end\n10 characters arrived\n$/);
  });
});

describe('responses-tools', () => {
  it('sends the results to the stored response, and continues it by its id', async ({ fake }) => {
    fake.responses
      .reply({ toolCalls: [{ id: 'a', name: 'stock', arguments: { item: 'tea' } }], usage: { input: 10, output: 10 } })
      .reply({ text: 'Yes, 12.', usage: { input: 30, output: 5 } })
      .reply('No.');
    expect(await outcome(start('responses-tools', fake))).toEqual(ended('stock: tea\nYes, 12.\n2 model calls, 55 tokens\nNo.\n'));
    const [first, second] = fake.requests.map(({ requestId }) => `resp_${requestId}`);
    expect(bodiesOf(fake)).toMatchObject([
      { store: true, tools: [{ type: 'function', name: 'stock' }] },
      { previous_response_id: first, input: [{ type: 'function_call_output', call_id: 'a', output: '{"item":"tea","count":12}' }] },
      { previous_response_id: second, input: 'Enough for 20 guests?' },
    ]);
  });
});
