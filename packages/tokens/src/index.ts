export { definitionsOf } from './definitions.ts'
export { type Encoding, type EncodingName, encodingOf, loadEncoding } from './encoding.ts'
export { type CountText, type Definitions, MessageTokens } from './message-tokens.ts'
export { countTokens, tokensOf, warmUpEncoding } from './text-tokens.ts'
export {
  type TokenFinding,
  TokenLimiterProcessor,
  type TokenLimiterProcessorOptions,
} from './token-limiter.ts'
