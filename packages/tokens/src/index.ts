export { type Encoding, type EncodingName, encodingOf, loadEncoding } from './encoding.ts'
export { MessageTokens } from './message-tokens.ts'
export { countTokens, tokensOf } from './text-tokens.ts'
export {
  type TokenFinding,
  TokenLimiterProcessor,
  type TokenLimiterProcessorOptions,
} from './token-limiter.ts'
