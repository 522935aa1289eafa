export { type EncodingName, encodingOf } from './encoding.ts'
export { countTokens } from './text-tokens.ts'
export { type TokenFinding, type TokenLimiterOptions, TokenLimiterProcessor } from './token-limiter.ts'
