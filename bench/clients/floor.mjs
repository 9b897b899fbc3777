/** No client at all: the stream's blocks from memory through decode, split and JSON.parse. */
import { blockEvents, blocks } from '../wire/corpus.mjs';
import { deltaText, floorParser } from '../wire/floor.mjs';

export function open() {
  const surface = (name) => {
    const body = blocks(name, blockEvents);
    return {
      async stream(onText) {
        const feed = floorParser((event) => onText(deltaText[name](event)));
        for (const block of body) feed(block);
      },
    };
  };
  return { chat: surface('chat'), messages: surface('messages'), responses: surface('responses') };
}
