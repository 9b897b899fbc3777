// Settings that users of the tools have: comments where the format has them, odd indentation, big integers, values on our paths.

export interface Sample {
  /** Path below the home. */
  readonly file: string;
  readonly format: 'json' | 'jsonc' | 'toml' | 'yaml';
  readonly text: string;
}

const big = '12345678901234567890';

export const samples: Readonly<Record<string, readonly Sample[]>> = {
  'claude-code': [
    {
      file: '.claude/settings.json',
      format: 'json',
      text: `{\n   "permissions": { "allow": ["Bash(git:*)"],\n      "deny": [] },\n   "env": {\n        "EDITOR": "vi", "ANTHROPIC_BASE_URL": "https://old.example"\n   },\n   "n": ${big}\n}\n`,
    },
    {
      file: '.claude.json',
      format: 'json',
      text: `{"numStartups":7,"userID":"ключ","big":${big},"mcpServers":{"mine":{"type":"stdio","command":"x","args":[],"env":{}}},"projects":{}}`,
    },
  ],
  codex: [
    {
      file: '.codex/config.toml',
      format: 'toml',
      text: `# my settings\nmodel = "gpt-6"   # the usual one\napproval_policy = "on-request"\n\n[mcp_servers.mine]  # mine\ncommand = 'C:\\x'\nargs = [ "a",\n  "b", # last\n]\n\n[tools]\nlimit = 9_007_199_254_740_993\n\t# end\n`,
    },
    { file: '.codex/modelsvc.config.toml', format: 'toml', text: `# a profile of mine\nmodel_reasoning_effort = "high"\n` },
  ],
  opencode: [
    {
      file: '.config/opencode/opencode.json',
      format: 'jsonc',
      text: `// mine\n{\n\t"$schema": "https://opencode.ai/config.json",\n\t"model": "anthropic/x", /* the model */\n\t"provider": {\n\t\t"lab": { "npm": "x", "n": ${big} }, // lab\n\t},\n\t"mcp": { "mine": { "type": "local", "command": ["a"] } },\n}\n`,
    },
  ],
  kilo: [{ file: '.config/kilo/kilo.json', format: 'jsonc', text: `{ // one line\n      "theme": "x", "mcp": {},\n  "n": ${big}\n}` }],
  crush: [
    {
      file: '.config/crush/crush.json',
      format: 'json',
      text: `{\n    "models": { "large": { "provider": "openai", "model": "gpt-6" } },\n  "options": { "tui": { "compact_mode": true }, "n": ${big} }\n}\n\n`,
    },
  ],
  droid: [
    {
      file: '.factory/settings.json',
      format: 'jsonc',
      text: `{\n  // models of mine\n  "customModels": [\n    { "model": "llama", "baseUrl": "http://localhost:1", "apiKey": "x", "n": ${big} } // local\n  ],\n  "theme": "dark"\n}\n`,
    },
    { file: '.factory/mcp.json', format: 'jsonc', text: `{"mcpServers":{/* none */}}\n` },
  ],
  cline: [
    {
      file: '.cline/data/settings/providers.json',
      format: 'json',
      text: `{\n  "version": 1,\n  "lastUsedProvider": "anthropic",\n  "providers": {\n    "anthropic": { "settings": { "provider": "anthropic", "n": ${big} }, "tokenSource": "manual" }\n  }\n}`,
    },
    { file: '.cline/data/settings/cline_mcp_settings.json', format: 'json', text: `{\n "mcpServers": {\n }\n}\n` },
  ],
  goose: [
    {
      file: '.config/goose/config.yaml',
      format: 'yaml',
      text: `# goose\nGOOSE_PROVIDER: openai   # usual\nGOOSE_MODEL: gpt-6\nid: ${big}\nextensions:\n    developer:   # built in\n        enabled: true\n        type: builtin\n        timeout: 300\n# end\n`,
    },
    {
      file: '.config/goose/custom_providers/modelsvc.json',
      format: 'json',
      text: `{\n      "name": "mine",\n      "models": [ {"name": "m", "context_limit": ${big}} ]\n}`,
    },
  ],
  pi: [
    {
      file: '.pi/agent/models.json',
      format: 'json',
      text: `{\n  "providers": {\n    "ollama": { "baseUrl": "http://localhost:1", "models": [ { "id": "m", "n": ${big} } ] }\n  }\n}\n`,
    },
    { file: '.pi/agent/settings.json', format: 'json', text: `{"defaultProvider":"ollama","defaultModel":"m"}` },
    { file: '.pi/agent/mcp.json', format: 'json', text: `{}\n` },
  ],
  qwen: [
    {
      file: '.qwen/settings.json',
      format: 'jsonc',
      text: `{\n\t"$version": 2,\n\t"modelProviders": { "openai": [\n\t\t{ "id": "m", "baseUrl": "http://localhost:1", "envKey": "X" }, // mine\n\t] },\n\t"security": { "auth": { "selectedType": "qwen-oauth" } },\n\t"n": ${big}\n}\n`,
    },
  ],
  continue: [
    {
      file: '.continue/config.yaml',
      format: 'yaml',
      text: `name: mine   # a name\nversion: 0.0.1\nschema: v1\nmodels:\n- name: Llama   # local\n  provider: ollama\n  model: llama\n  id: ${big}\n\n# servers\nmcpServers:\n- name: mine\n  command: x\n`,
    },
  ],
  aider: [
    {
      file: '.aider.conf.yml',
      format: 'yaml',
      text: `##########\n# aider\nmodel: sonnet   # usual\ndark-mode: yes\nread: [a.md,   b.md]\nid: ${big}`,
    },
  ],
  zed: [
    {
      file: '.config/zed/settings.json',
      format: 'jsonc',
      text: `// Zed settings\n//\n// See the docs\n{\n  "buffer_font_size": 15,\n  "agent": {\n    "default_model": { "provider": "zed.dev", "model": "x" }, // usual\n  },\n  "context_servers": {},\n  "n": ${big},\n}\n`,
    },
  ],
};
