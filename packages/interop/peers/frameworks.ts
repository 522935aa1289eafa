/** What is resolved from this folder, also for the sources of the adapters. */
export const FRAMEWORKS: RegExp = /^(@mastra\/core|@langchain\/core)\/|^@openai\/agents(\/|$)/
