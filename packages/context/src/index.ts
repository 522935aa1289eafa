export * from './workspace/index.ts'
