/** The least that reading a stream takes: decode, split, JSON.parse. No line rules, no checks. */
export function floorParser(onData) {
  const decoder = new TextDecoder();
  let rest = '';
  return (block) => {
    const frames = (rest + decoder.decode(block, { stream: true })).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.slice(frame.indexOf('data: ') + 6);
      if (data !== '[DONE]') onData(JSON.parse(data));
    }
  };
}

/** The text of one parsed event. */
export const deltaText = {
  chat: (data) => data.choices[0]?.delta.content ?? '',
  messages: (data) => (data.type === 'content_block_delta' ? data.delta.text : ''),
  responses: (data) => (data.type === 'response.output_text.delta' ? data.delta : ''),
};

/** The text of a complete reply. */
export const replyText = {
  chat: (data) => data.choices[0].message.content,
  messages: (data) => data.content[0].text,
  responses: (data) => data.output[0].content[0].text,
};

/** Paths and bodies as the clients without types of their own send them. */
export function wireRequests({ model, prompt, instructions, maxTokens }) {
  const user = { role: 'user', content: prompt };
  return {
    chat: { path: '/v1/chat/completions', body: { model, messages: [{ role: 'system', content: instructions }, user] } },
    messages: { path: '/v1/messages', body: { model, max_tokens: maxTokens, system: instructions, messages: [user] } },
    responses: { path: '/v1/responses', body: { model, instructions, input: prompt } },
  };
}
