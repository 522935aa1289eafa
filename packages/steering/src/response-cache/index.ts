export { ResponseCache, type ResponseCacheEvent, type ResponseCacheOptions } from './response-cache.ts'
