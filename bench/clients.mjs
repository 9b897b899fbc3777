/** Who takes part in what. */
export const us = 'modelsvc';
/** The other clients a reader could install. */
export const peers = ['openai', 'anthropic', 'ai', 'openapi-fetch'];
/** The clients that read streams by themselves. */
export const fullClients = ['openai', 'anthropic', 'ai'];
/** Code that you could write by hand, and the least work there is. */
export const floors = ['fetch', 'undici', 'node-http', 'floor'];

export const surfaces = ['chat', 'messages', 'responses'];
export const onSurface = {
  chat: [us, 'openai', 'ai', 'openapi-fetch', 'fetch', 'undici', 'node-http'],
  messages: [us, 'anthropic', 'openapi-fetch', 'fetch', 'undici', 'node-http'],
  responses: [us, 'openai', 'openapi-fetch', 'fetch', 'undici', 'node-http'],
};
/** Those that take a fetch of the caller's. */
export const stubbed = {
  chat: [us, 'openai', 'ai', 'openapi-fetch', 'fetch'],
  messages: [us, 'anthropic', 'openapi-fetch', 'fetch'],
  responses: [us, 'openai', 'openapi-fetch', 'fetch'],
};
export const withCollect = { chat: [us, 'openai', 'ai'], messages: [us, 'anthropic'], responses: [us, 'openai'] };
/** One surface is enough where the body makes no difference. */
export const everybody = [us, 'openai', 'anthropic', 'ai', 'openapi-fetch', 'fetch', 'undici', 'node-http'];
export const surfaceOf = (client) => (client === 'anthropic' ? 'messages' : 'chat');
