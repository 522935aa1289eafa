export { GuardRejection } from '../ai-sdk/guard-rejection.ts'
export { type GuardChatModelOptions, guardChatModel } from './guarded-chat-model.ts'
export {
  type MillraceMiddleware,
  type MillraceMiddlewareOptions,
  millraceMiddleware,
} from './millrace-middleware.ts'
