extension ClusterTree { public var bytesPerPoint: Double { Double(storage.hierarchySections.reduce(0) { $0 + $1.count } + 4 * pointCount) / Double(max(1,pointCount)) } }
