import { catalogueRow } from '../../overlay/monitor/model-info.ts';

const ids = ['glm-5.3', 'glm-5.3-flash', 'glm-5-turbo'];
const levels = ['low', 'high', 'max'];

/** The model list of the Responses root, in the form that Codex reads. No capture shows `priority` and the fields after it; Codex needs them. */
export function codexModels(): object {
  return { models: ids.map(codexModel) };
}

function codexModel(id: string, index: number): object {
  const { context_tokens: context = 0, capabilities = [], effort = levels } = catalogueRow(id) ?? {};
  return {
    slug: id,
    display_name: id.toUpperCase(),
    description: `The model ${id}.`,
    context_window: context,
    max_context_window: context,
    default_reasoning_level: 'max',
    supported_reasoning_levels: effort.map((level) => ({ effort: level, description: `Thinking of depth ${level}` })),
    input_modalities: capabilities.includes('vision') ? ['text', 'image'] : ['text'],
    supported_in_api: true,
    visibility: 'list',
    supports_parallel_tool_calls: true,
    priority: index,
    shell_type: 'shell_command',
    base_instructions: 'You are a coding agent.',
    support_verbosity: false,
    truncation_policy: { mode: 'tokens', limit: 10_000 },
    experimental_supported_tools: [],
  };
}
