export { GuardRejection } from '../ai-sdk/guard-rejection.ts'
export { type GuardChatModelOptions, guardChatModel } from './guarded-chat-model.ts'
export { type LangChainMiddlewareOptions, langchainMiddleware } from './langchain-middleware.ts'
export {
  type MillraceMiddleware,
  type MillraceMiddlewareOptions,
  millraceMiddleware,
} from './millrace-middleware.ts'
export type { PublishedMiddleware } from './published-middleware.ts'
