export { exportResource } from './export-resource.ts'
export { importResource } from './import-resource.ts'
