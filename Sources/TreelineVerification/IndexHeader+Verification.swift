import Treeline

// MARK: - Sections

extension IndexHeader {
  /// Whether the version is known. A later minor version may use reserved bytes and more kinds of sections.
  var isOfKnownVersion: Bool { minorVersion <= Self.minorVersion }

  /// Checks the section table and the checksums of sections. There must be only zeros between sections, and not more
  /// zeros than the alignment needs.
  func checkSections(of bytes: UnsafeRawBufferPointer, _ problems: ProblemList, _ pages: PageUse) {
    var end = UInt64(length)
    for (index, section) in sections.enumerated() {
      checkEntry(index, behind: end, problems)
      checkZeros(bytes, from: end, to: section.offset, problems)
      end = section.offset + section.length
      let range = section.range
      var hasher = XXHash64()
      hasher.update(UnsafeRawBufferPointer(rebasing: bytes[range]), pages)
      let checksum = hasher.finalize()
      problems.check(
        checksum == section.checksum, "section \(section.kind) at byte \(section.offset)",
        expected: "checksum \(String(section.checksum, radix: 16))", found: String(checksum, radix: 16))
    }
    let kinds = sections.map(\.kind)
    problems.check(
      !kinds.contains(.wideRows) || !kinds.contains(.rows), "sections", expected: "only one section of row numbers",
      found: "rows and wide rows")
    checkZeros(bytes, from: end, to: UInt64(bytes.count), problems)
    problems.check(
      end == bytes.count, "byte \(end)", expected: "the end of the file",
      found: "\(UInt64(bytes.count) - end) more bytes")
  }

  private func checkEntry(_ index: Int, behind end: UInt64, _ problems: ProblemList) {
    let (section, entry) = (sections[index], Self.offset(ofEntry: index))
    let isKnown = section.kind.isKnown(in: minorVersion)
    // Kinds from 2^31 on are reserved for other programs. No version of the format will ever use such a kind.
    let isPrivate = section.kind.rawValue >= 1 << 31
    problems.check(
      !isOfKnownVersion || isPrivate || isKnown, "section table, byte \(entry)",
      expected: "a kind of section that version \(majorVersion).\(minorVersion) has, or a private kind from 2^31 on",
      found: "\(section.kind.rawValue)")
    // The flag of a section is set if a reader must know the kind of the section. If the flag were set for an unknown
    // kind, the index could not have been opened. So the flag of an unknown kind is certainly not set, and only known
    // kinds are checked.
    problems.check(
      section.isRequired == section.kind.isRequired || !isKnown, "section table, byte \(entry + 4)",
      expected: "the flag \(section.kind.isRequired ? 1 : 0), because the section is of kind '\(section.kind)'",
      found: section.isRequired ? "1" : "0")
    problems.check(
      section.offset == Self.aligned(end), "section table, byte \(entry + 8)",
      expected: "offset \(Self.aligned(end)), the next multiple of \(Self.alignment)", found: "\(section.offset)")
  }

  private func checkZeros(_ bytes: UnsafeRawBufferPointer, from start: UInt64, to end: UInt64, _ problems: ProblemList)
  {
    guard let offset = bytes[Int(start)..<Int(end)].firstIndex(where: { $0 != 0 }) else { return }
    problems.add("byte \(offset)", expected: "0 between sections", found: "\(bytes[offset])")
  }
}

// MARK: - Growth

extension IndexHeader {
  /// Checks that the sections of separations and of clusters' positions (`anchors`) fit the way in which the tree was
  /// built. Also checks that the reserved bytes of the badge curve are 0.
  func checkGrowth(_ curve: BadgeCurve?, in bytes: UnsafeRawBufferPointer, _ problems: ProblemList) {
    let isForBadges = growth == .merging(by: .badges)
    var others: [IndexSection.Kind] = isForBadges ? [.separations] : [.badgeScales, .badgeCurve]
    if !mergeTraits.contains(.anchorsAtMembers) { others.append(.anchors) }
    for section in sections where others.contains(section.kind) {
      problems.add(
        "sections", expected: "no section of \(section.kind) in a tree \(growth.phrase)",
        found: "one at byte \(section.offset)")
    }
    let keepsApart = growth.mergeMetric?.keepsApart == true && sections.contains { $0.kind == growth.codesKind }
    problems.check(
      keepsApart || !mergeTraits.contains(.anchorsAtMembers), "header, traits of a merged tree",
      expected: "each cluster at the mean of its points, because this tree does not keep clusters apart",
      found: "traits \(mergeTraits.rawValue)")
    guard let section = sections.first(where: { $0.kind == .badgeCurve }), isForBadges else { return }
    problems.check(
      curve.map { $0.bytes.elementsEqual(bytes[section.range]) } ?? false, "badge curve",
      expected: "a section of badge scales, and a badge curve whose reserved bytes are 0",
      found: curve == nil ? "no badge scales" : "other bytes")
  }
}

// MARK: - Description

extension IndexHeader {
  /// Checks that the description has at least one text, that all its texts are UTF-8, and that it has a unit only if
  /// the points have no map projection. The lengths of the texts were already checked when the index was opened.
  func checkDescription(in bytes: UnsafeRawBufferPointer, _ problems: ProblemList) {
    let kind = IndexSection.Kind.description
    guard kind.isKnown(in: minorVersion), let section = sections.first(where: { $0.kind == kind }) else { return }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[section.range])
    guard let texts = IndexDescription.texts(in: bytes) else { return }
    let reserved: UInt32 = bytes.read(at: 12)
    problems.check(
      reserved == 0 || !isOfKnownVersion, "description", expected: "0 in the reserved bytes 12 to 15",
      found: "\(reserved)")
    problems.check(bytes.count > IndexDescription.fixedLength, "description", expected: "a text", found: "none")
    for text in [texts.0, texts.1, texts.2] {
      problems.check(
        String(validating: text, as: UTF8.self) != nil, "description", expected: "text in UTF-8", found: "other bytes")
    }
    problems.check(
      texts.2.isEmpty || plane.projection == .planar, "description",
      expected: "no unit, because the points are longitudes and latitudes",
      found: "a unit of \(texts.2.count) bytes")
  }
}

// MARK: - Points

extension IndexHeader {
  /// Checks the header's facts about the points: the number of clipped points, and the plane.
  ///
  /// The header stores the seam (the longitude at which the plane begins) or the square that the plane covers. The
  /// positions of the points do not show whether the seam or the square is right. So this method checks whether a
  /// builder would choose the header's plane for these positions.
  ///
  /// - Complexity: O(pointCount)
  func check(_ points: PointBlocks, _ problems: ProblemList) {
    switch plane.projection {
    case .webMercator:
      checkClippedPoints(points, problems)
      checkSeam(points, problems)
    case .planar:
      checkEdges(hasPoints: points.count > 0, problems)
      checkSquare(points, problems)
    }
  }

  /// Checks the number of clipped points. Clipped points lie on the plane's upper or lower edge, but other points may
  /// also lie there. So the number must not be greater than the number of all points on these edges.
  private func checkClippedPoints(_ points: PointBlocks, _ problems: ProblemList) {
    var edgeCount = 0
    points.forEach { if $0.y == 0 || $0.y == .max { edgeCount += 1 } }
    problems.check(
      clippedPointCount <= edgeCount, "header, byte \(Offset.clippedPointCount)",
      expected: "at most as many clipped points as points on the edge of the plane (\(edgeCount))",
      found: "\(clippedPointCount)")
  }

  private func checkSeam(_ points: PointBlocks, _ problems: ProblemList) {
    let expected = Self.seam(of: points, on: plane)
    problems.check(
      plane.seam == expected ?? 0, "header, byte \(Offset.seam)",
      expected: expected.map { "the seam \($0), the east end of the widest gap between points" }
        ?? "the seam 0, because there are no points", found: "\(plane.seam)")
  }

  /// Returns the longitude of the first point east of the widest gap. The format document defines the gaps: longitudes
  /// are divided into bins of equal width, and a gap lies between two successive bins that contain points. Returns nil
  /// if there are no points.
  private static func seam(of points: PointBlocks, on plane: Plane) -> UInt32? {
    var bins = [ClosedRange<UInt32>?](repeating: nil, count: 1 << 16)
    points.forEach { point in
      let x = point.x &+ plane.seam
      let bin = bins[Int(x >> 16)] ?? x...x
      bins[Int(x >> 16)] = min(bin.lowerBound, x)...max(bin.upperBound, x)
    }
    let occupied = bins.compactMap { $0 }
    guard let last = occupied.last else { return nil }
    // One gap leads from the last bin around the world to the first bin, so differences are taken modulo 2^32.
    let gaps = zip(occupied, [last] + occupied).map { $0.lowerBound &- $1.upperBound }
    return occupied[gaps.firstIndex(of: gaps.max()!)!].lowerBound
  }

  /// Checks that no edge is a negative zero, and that all edges are zero if there are no points.
  private func checkEdges(hasPoints: Bool, _ problems: ProblemList) {
    for (edge, offset) in [(plane.left, Offset.left), (plane.top, Offset.top), (plane.side, Offset.side)] {
      problems.check(
        edge != 0 || edge.sign == .plus, "header, byte \(offset)", expected: "0 without a sign", found: "\(edge)")
      problems.check(
        edge == 0 || hasPoints, "header, byte \(offset)", expected: "0, because there are no points", found: "\(edge)")
    }
  }

  /// Checks that the square is the smallest square around the points. The least x and the least y of the points must be
  /// 0, and the points must fill the width or the height of the square.
  private func checkSquare(_ points: PointBlocks, _ problems: ProblemList) {
    guard points.count > 0 else { return }
    let box = points.box
    problems.check(
      box.isPoint == (plane.side == 0), "header, byte \(Offset.side)",
      expected: box.isPoint
        ? "a side of 0, because all points have one position"
        : "a side above 0, because the points have several positions",
      found: "\(plane.side)")
    problems.check(
      (box.minX, box.minY) == (0, 0), "points", expected: "0 as the least x and as the least y",
      found: "x \(box.minX) and y \(box.minY)")
    problems.check(
      box.isPoint || max(box.maxX, box.maxY) == .max, "points", expected: "\(UInt32.max) as the greatest x or y",
      found: "x \(box.maxX) and y \(box.maxY)")
  }
}
