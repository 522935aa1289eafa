export { cloneThread } from './clone-thread.ts'
export { searchThreads } from './search-threads.ts'
