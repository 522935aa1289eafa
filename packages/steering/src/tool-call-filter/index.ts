export {
  type FilteredCall,
  ToolCallFilterProcessor,
  type ToolCallFilterProcessorOptions,
} from './tool-call-filter.ts'
