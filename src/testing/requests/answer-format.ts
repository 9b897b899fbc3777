import { type Fields, fieldsOf } from '../../overlay/json/json-value.ts';

/** The format that a request asks of the answer: `response_format` of chat, `text.format` of Responses, `output_config.format` of messages. */
export function formatOf(body: unknown): Fields {
  const { response_format: format, text, output_config: config } = fieldsOf(body);
  return fieldsOf(format ?? fieldsOf(text)['format'] ?? fieldsOf(config)['format']);
}
