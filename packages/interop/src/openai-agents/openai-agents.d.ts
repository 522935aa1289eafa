// An optional peer dependency, loaded on first use. The types that are used are in load-agents.ts.
declare module '@openai/agents'
