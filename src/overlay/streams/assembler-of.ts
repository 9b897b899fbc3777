import { fieldsOf } from '../json/json-value.ts';
import { ChatAccumulator } from './chat-accumulator.ts';
import { MessageAccumulator } from './messages-accumulator.ts';
import { ResponseAccumulator } from './responses-accumulator.ts';

/** The assembler of the surface of an item. */
export function assemblerOf(item: unknown): ChatAccumulator | MessageAccumulator | ResponseAccumulator {
  const { data, type, choices } = fieldsOf(item);
  if (data !== undefined) return new MessageAccumulator();
  return typeof type === 'string' && choices === undefined ? new ResponseAccumulator() : new ChatAccumulator();
}
