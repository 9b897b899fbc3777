/**
 * The server, in a process of its own. The first step of a path selects the answer:
 * - `/call`: whole replies
 * - `/blocks`: 64 KB at a time
 * - `/writes`: an event at a time without a pause
 * - `/paced-N`, `/trickled-N`: N deltas, one every 10 ms or every second
 * - `/first`, `/held`: the first delta at once, then the rest or silence
 */
import { createServer } from 'node:http';
import { surfaces } from '../clients.mjs';
import { blockEvents, blocks, events, reply, surfaceOfPath } from './corpus.mjs';

const whole = Object.fromEntries(surfaces.map((surface) => [surface, Buffer.from(reply[surface])]));
const inBlocks = Object.fromEntries(surfaces.map((surface) => [surface, blocks(surface, blockEvents)]));
const cache = new Map();

function eventsOf(surface, count) {
  const name = `${surface}-${count}`;
  if (!cache.has(name)) cache.set(name, events(surface, count));
  return cache.get(name);
}

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

const modes = {
  call(response, surface) {
    const body = whole[surface];
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length, 'x-request-id': 'bench' }).end(body);
  },
  blocks(response, surface) {
    response.writeHead(200, streamHeaders);
    const rest = inBlocks[surface][Symbol.iterator]();
    const send = () => {
      for (const block of rest) if (!response.write(block)) return response.once('drain', send);
      response.end();
    };
    send();
  },
  writes(response, surface) {
    const { first, each, last } = eventsOf(surface, blockEvents);
    const texts = [first, ...each, last];
    let at = 0;
    response.writeHead(200, streamHeaders);
    const send = () => {
      if (at === texts.length) return response.end();
      if (response.write(texts[at++])) setImmediate(send);
      else response.once('drain', send);
    };
    send();
  },
  paced: (response, surface, count) => pace(everyTenMs, response, eventsOf(surface, count)),
  trickled: (response, surface, count) => pace(everySecond, response, eventsOf(surface, count)),
  first(response, surface) {
    const { first, each, last } = eventsOf(surface, 8);
    response.writeHead(200, streamHeaders);
    response.write(first + each[0]);
    setTimeout(() => response.end(each.slice(1).join('') + last), 2);
  },
  held(response, surface) {
    const { first, each } = eventsOf(surface, 1);
    response.writeHead(200, streamHeaders);
    response.write(first + each[0]);
  },
};

/**
 * Streams in step with the clock, with an event each in every `periodMs`. Each millisecond of a period has its own streams, so that two events do not
 * share a wake-up more often than they must.
 */
class Pace {
  #slots;
  #seat = 0;
  #tick = 0;
  #timer;

  constructor(periodMs) {
    this.#slots = Array.from({ length: periodMs }, () => new Set());
  }

  add(response, texts) {
    const slot = this.#slots[this.#seat++ % this.#slots.length];
    const stream = { response, texts, at: 0 };
    slot.add(stream);
    response.once('close', () => slot.delete(stream));
    this.#timer ??= setInterval(() => this.#turn(), 1);
  }

  #turn() {
    const slot = this.#slots[this.#tick++ % this.#slots.length];
    for (const stream of slot) {
      stream.response.write(stream.texts[stream.at++]);
      if (stream.at < stream.texts.length) continue;
      slot.delete(stream);
      stream.response.end();
    }
    if (this.#slots.some((one) => one.size > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const everyTenMs = new Pace(10);
const everySecond = new Pace(1000);

function pace(pace, response, { first, each, last }) {
  response.writeHead(200, streamHeaders);
  response.write(first + each[0]);
  pace.add(response, [...each.slice(1), last]);
}

const server = createServer((request, response) => {
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const [, mode, count] = /^\/([a-z]+)(?:-(\d+))?\//.exec(request.url) ?? [];
  let bytes = 0;
  request.on('data', (block) => {
    bytes += block.length;
  });
  request.on('end', () => {
    if (request.url.endsWith('/files') || request.url.includes('/files?')) return stored(response, bytes);
    const surface = surfaceOfPath(request.url);
    if (!surface || !modes[mode]) return response.writeHead(404).end();
    modes[mode](response, surface, Number(count ?? 0));
  });
});
server.keepAliveTimeout = 120_000;
server.requestTimeout = 0;

/** An upload's reply has the number of bytes that came, multipart and all. */
function stored(response, bytes) {
  const file = {
    id: 'file-1',
    object: 'file',
    type: 'file',
    bytes,
    size_bytes: bytes,
    filename: 'upload.jsonl',
    purpose: 'batch',
    created_at: 1793534400,
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(file));
}

server.listen(0, '127.0.0.1', 4096, () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
