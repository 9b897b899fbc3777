export function sanitizeToolSchemas<T>(tools: T): T {
  return tools;
}
