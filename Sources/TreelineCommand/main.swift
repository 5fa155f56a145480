print("treeline")
