// An optional peer, loaded with its first use. What is used of it is in load-agents.ts.
declare module '@openai/agents'
