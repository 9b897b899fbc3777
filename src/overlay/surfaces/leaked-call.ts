// Tool calls that a model wrote as text, in the notation of its template, and that the service did not read.

const mark = /<\/?(?:tool_call|arg_)/;
/** Code and quotations, which may show the notation. */
const quoted = /```(?:[\s\S]*?```|[\s\S]*)|`[^`\n]*`|^(?: {4}|\t|>).*$/gm;
/** A call by its name and first argument, as JSON, without arguments on a line of its own, or the rest of one. */
const calling =
  /<tool_call>\s*(?:[\w.:/-]+\s*<arg_key>|\{)|^<tool_call>\s*[\w.:/-]+\s*<\/|\w\s*<arg_key>[^<\n]*<\/arg_key>\s*<arg_value>|^\S+<\/arg_value>/m;
/** The fields on the way to texts and names. Arguments and found pages may be about the notation. */
const way = /^(?:\d*|choices|message|content|text|output|tool_calls|function|name)$/;

/** True for text that ends with such a call. A text that goes on after the marks describes them. */
export function endsWithCall(text: string): boolean {
  const plain = text.replace(quoted, '').trimEnd();
  const isOpen = (name: string): boolean => plain.lastIndexOf(`<${name}>`) > plain.lastIndexOf(`</${name}>`);
  return calling.test(plain) && (/<\/\w+>$/.test(plain) || isOpen('tool_call') || isOpen('arg_value'));
}

/** True if an answer of any surface has a call as text, or marks of the notation in the name of a call. */
export function hasLeakedCall(reply: unknown): boolean {
  let found = false;
  try {
    JSON.stringify(reply, (name, value: unknown) => {
      if (!way.test(name)) return undefined;
      if (typeof value === 'string' && mark.test(value)) found ||= name === 'name' || endsWithCall(value);
      return value;
    });
  } catch {
    // Nested too deep for an answer.
  }
  return found;
}
