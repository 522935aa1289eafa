export { createHandler, type Handler } from './handler.ts'
export type { ApprovalRequest, Authenticate, Caller, HandlerLimits, HandlerOptions } from './options.ts'
export { defineConfig, type ServerConfig } from './server-config.ts'
