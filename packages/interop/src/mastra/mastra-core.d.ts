// An optional peer dependency, loaded on first use. The types that are used are in published-processor.ts.
declare module '@mastra/core/agent'
declare module '@mastra/core/request-context'
