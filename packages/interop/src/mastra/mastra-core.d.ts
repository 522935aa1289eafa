// An optional peer, loaded with its first use. What is used of it is in published-processor.ts.
declare module '@mastra/core/agent'
declare module '@mastra/core/request-context'
