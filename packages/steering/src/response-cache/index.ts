export { type CacheEvent, ResponseCache, type ResponseCacheOptions } from './response-cache.ts'
