export { type Encoding, type EncodingName, encodingOf, loadEncoding } from './encoding.ts'
export { MessageTokens } from './message-tokens.ts'
export { countTokens, tokensOf } from './text-tokens.ts'
export { type TokenFinding, type TokenLimiterOptions, TokenLimiterProcessor } from './token-limiter.ts'
