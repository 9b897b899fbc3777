import type { FunctionDefinition, ResponseFormat, Tool } from '../../generated/types.ts';
import { validated } from '../errors/problem.ts';
import { plainSchema } from '../json/plain-schema.ts';
import { Problem } from '../json/problem.ts';

/** The answer ended by itself or at a stop sequence. */
export const FinishReasonStop = 'stop';
/** The model asks for tool calls. */
export const FinishReasonToolCalls = 'tool_calls';
/** The token limit was reached; the answer is cut off. */
export const FinishReasonLength = 'length';
/** Stopped by the content check; text already shown may need to be withdrawn. */
export const FinishReasonSensitive = 'sensitive';
/** Prompt and output exceed the context window of the model. */
export const FinishReasonModelContextWindowExceeded = 'model_context_window_exceeded';
/** Inference failed inside the service. */
export const FinishReasonNetworkError = 'network_error';

/** A function that the model may call. */
export const ToolTypeFunction = 'function';
/** A knowledge base. */
export const ToolTypeRetrieval = 'retrieval';
/** A search of the web by the service. */
export const ToolTypeWebSearch = 'web_search';

/** Default limit of rounds in `runWithTools`. */
export const ToolMaxRounds = 8;
/** Maximum number of function tools in one chat request. */
export const ToolMaxFunctions = 128;

/** A function that the model may call. `parameters` is a JSON Schema of an object; omit it for a function without arguments. */
export function newFunctionTool(name: string, description: string, parameters?: FunctionDefinition['parameters']): Tool {
  if (parameters === undefined) return { type: ToolTypeFunction, function: { name, description } };
  const schema = validated('newFunctionTool', () => plainSchema(parameters, 'parameters', name));
  return { type: ToolTypeFunction, function: { name, description, parameters: schema } };
}

/** A knowledge base to ground the answer on. `prompt` is a template with `{{knowledge}}` and `{{question}}`. Evidence: documented, not seen live. */
export function newRetrievalTool(knowledgeID: string, prompt?: string): Tool {
  return {
    type: ToolTypeRetrieval,
    retrieval: prompt === undefined ? { knowledge_id: knowledgeID } : { knowledge_id: knowledgeID, prompt_template: prompt },
  };
}

/** Let the service search the web. Without queries the model chooses them. Evidence: documented, not seen live. */
export function newWebSearchTool(...queries: string[]): Tool {
  return { type: ToolTypeWebSearch, web_search: { search_query: queries } };
}

/** Request an answer that matches a JSON Schema. The vendor documents only `text` and `json_object`; evidence: sdk-only. */
export function newJSONSchemaFormat(name: string, schema: Record<string, unknown>, strict: boolean): ResponseFormat {
  const checked = validated('newJSONSchemaFormat', () => {
    if (typeof name !== 'string') throw new Problem('name', 'must be a string');
    return plainSchema(schema, 'schema', name);
  });
  return { type: 'json_schema', json_schema: { name, schema: checked, strict } };
}
